// SPDX-License-Identifier: Apache-2.0

/** A page made of ready files of packages: styles, then the body, then scripts, then the application's own script. */
export function page(title, { css = [], body = '', js = [], script = '', module = false }) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">
${css.map((file) => `<link rel="stylesheet" href="/npm/${file}">`).join('\n')}</head><body>${body}
${js.map((file) => `<script src="/npm/${file}"></script>`).join('\n')}
<script${module ? ' type="module"' : ''}>${script}</script></body></html>`;
}
