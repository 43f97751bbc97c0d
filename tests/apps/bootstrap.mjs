// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'component library',
  packages: ['bootstrap'],
  page: page('Bootstrap', {
    css: ['bootstrap/dist/css/bootstrap.min.css'],
    body: `<nav class="navbar navbar-expand bg-light"><a class="navbar-brand" href="#">Shop</a><div class="dropdown">
      <button class="btn dropdown-toggle" data-bs-toggle="dropdown">Account</button>
        <ul class="dropdown-menu"><li><a class="dropdown-item" href="#orders">Orders</a></li><li><a class="dropdown-item" href="#out">Log out</a>
          </li></ul></div></nav>
      <ul class="nav nav-tabs" role="tablist"><li class="nav-item">
        <button class="nav-link active" data-bs-toggle="tab" data-bs-target="#home" role="tab">Home</button></li>
        <li class="nav-item"><button class="nav-link" data-bs-toggle="tab" data-bs-target="#more" role="tab">More</button></li></ul>
      <div class="tab-content"><div class="tab-pane show active" id="home">First</div><div class="tab-pane" id="more">Second</div></div>
      <div class="form-check form-switch"><input class="form-check-input" type="checkbox" role="switch" id="dark">
        <label class="form-check-label" for="dark">Dark</label></div>
      <button class="btn btn-primary" data-bs-toggle="collapse" data-bs-target="#details">Details</button><div class="collapse" id="details">
        <p>Long text</p></div>
      <button class="btn btn-primary" data-bs-toggle="modal" data-bs-target="#modal">Launch</button>
      <div class="modal fade" id="modal" tabindex="-1" aria-labelledby="title"><div class="modal-dialog"><div class="modal-content">
        <div class="modal-header"><h5 id="title">Really?</h5>
        <button class="btn-close" data-bs-dismiss="modal" aria-label="Close"></button></div><div class="modal-footer">
          <button class="btn" data-bs-dismiss="modal">Go</button></div></div></div></div>
      <button class="btn" data-bs-toggle="offcanvas" data-bs-target="#side">Menu</button>
      <div class="offcanvas offcanvas-start" id="side" tabindex="-1" aria-label="Side"><div class="offcanvas-body"><a href="#help">Help</a></div>
        </div>`,
    js: ['bootstrap/dist/js/bootstrap.bundle.min.js'],
  }),
  ready: () => window.bootstrap,
  async job(user) {
    await user.click('button', 'Account');
    await user.see(() => document.querySelector('.dropdown-menu.show'));
    await user.click('link', 'Orders');
    await user.see(() => location.hash === '#orders' && !document.querySelector('.dropdown-menu.show'));
    await user.click('tab', 'More');
    await user.see(() => document.querySelector('#more.active'));
    await user.click('switch', 'Dark');
    await user.see(() => document.querySelector('#dark').checked);
    await user.click('button', 'Details');
    await user.see(() => document.querySelector('#details.show'));
    await user.click('button', 'Launch');
    await user.see(() => document.querySelector('#modal.show'));
    await user.click('button', 'Go');
    await user.see(() => !document.querySelector('.modal-backdrop') && !document.querySelector('#modal').checkVisibility());
    await user.click('button', 'Menu');
    await user.see(() => document.querySelector('#side.show'));
    await user.click('link', 'Help');
    await user.see(() => location.hash === '#help');
  },
};
