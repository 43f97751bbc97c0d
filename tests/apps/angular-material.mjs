// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'component library (Angular)',
  packages: ['@angular/core', '@angular/common', '@angular/compiler', '@angular/platform-browser', '@angular/forms', '@angular/material',
    '@angular/cdk', 'rxjs'],
  body: '<link rel="stylesheet" href="/npm/@angular/material/prebuilt-themes/azure-blue.css"><app-root></app-root>',
  entry: `import '@angular/compiler';
    import { Component, provideZonelessChangeDetection, signal } from '@angular/core';
    import { bootstrapApplication } from '@angular/platform-browser';
    import { MatButtonModule } from '@angular/material/button';
    import { MatCheckboxModule } from '@angular/material/checkbox';
    import { MatFormFieldModule } from '@angular/material/form-field';
    import { MatInputModule } from '@angular/material/input';
    import { MatMenuModule } from '@angular/material/menu';
    import { MatRadioModule } from '@angular/material/radio';
    import { MatSelectModule } from '@angular/material/select';
    import { MatSlideToggleModule } from '@angular/material/slide-toggle';
    import { MatTabsModule } from '@angular/material/tabs';
    class App {
      state = window.state = {};
      set(key, value) { this.state[key] = value; }
    }
    const Root = Component({ selector: 'app-root', imports: [MatButtonModule, MatCheckboxModule, MatFormFieldModule, MatInputModule, MatMenuModule,
      MatRadioModule, MatSelectModule, MatSlideToggleModule, MatTabsModule],
      template: \`<mat-form-field><mat-label>Name</mat-label><input matInput (input)="set('name', $any($event.target).value)"></mat-form-field>
        <mat-form-field><mat-label>Size</mat-label><mat-select (selectionChange)="set('size', $event.value)">
          <mat-option value="s">Small</mat-option><mat-option value="l">Large</mat-option></mat-select></mat-form-field>
        <mat-checkbox (change)="set('agree', $event.checked)">Agree</mat-checkbox>
          <mat-slide-toggle (change)="set('on', $event.checked)">Updates</mat-slide-toggle>
        <mat-radio-group aria-label="Plan" (change)="set('plan', $event.value)"><mat-radio-button value="free">Free</mat-radio-button>
          <mat-radio-button value="paid">Paid</mat-radio-button></mat-radio-group>
        <button mat-button [matMenuTriggerFor]="menu">Edit</button><mat-menu #menu="matMenu">
          <button mat-menu-item (click)="set('did', 'cut')">Cut</button><button mat-menu-item (click)="set('did', 'paste')">Paste</button></mat-menu>
        <mat-tab-group (selectedIndexChange)="set('tab', $event)"><mat-tab label="First">1</mat-tab><mat-tab label="Second">2</mat-tab>
          </mat-tab-group>\` })(App) ?? App;
    bootstrapApplication(Root, { providers: [provideZonelessChangeDetection()] }).then(() => { window.started = true;
      }, (err) => { document.title = err.message; });`,
  ready: () => window.started,
  async job(user) {
    await user.fill('textbox', 'Name', 'Ada');
    await user.see(() => state.name === 'Ada');
    await user.click('combobox', /Size/);
    await user.see(() => document.querySelector('mat-option'));
    await user.click('option', 'Large');
    await user.see(() => state.size === 'l' && !document.querySelector('mat-option'));
    await user.click('checkbox', 'Agree');
    await user.see(() => state.agree);
    await user.click('switch', 'Updates');
    await user.see(() => state.on);
    await user.click('radio', 'Paid');
    await user.see(() => state.plan === 'paid');
    await user.click('button', 'Edit');
    await user.see(() => document.querySelector('[role=menu]'));
    await user.click('menuitem', 'Paste');
    await user.see(() => state.did === 'paste');
    await user.click('tab', 'Second');
    await user.see(() => state.tab === 1);
  },
};
