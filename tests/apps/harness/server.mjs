// SPDX-License-Identifier: Apache-2.0
// Serves the pages of the applications and the packages they are made of, on loopback. Nothing comes from outside.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Where packages are: those that the tests have, then those of `make apps`, so that an application is the same in both. */
export const shelves = [path.join(here, '../node_modules'), path.join(here, 'node_modules')];

const types = {
  '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.mjs': 'text/javascript',
  '.png': 'image/png', '.svg': 'image/svg+xml', '.woff': 'font/woff', '.woff2': 'font/woff2', '.ttf': 'font/ttf',
};

async function packaged(name) {
  for (const shelf of shelves) {
    const file = path.join(shelf, name);
    if (!file.startsWith(`${shelf}${path.sep}`)) return null;
    const data = await readFile(file).catch(() => null);
    if (data) return data;
  }
  return null;
}

/** Svelte's components are compiled as they are met. */
const svelte = {
  name: 'svelte',
  setup(build) {
    build.onLoad({ filter: /\.svelte$/ }, async ({ path: file }) => {
      const { compile } = await import('svelte/compiler');
      return { contents: compile(await readFile(file, 'utf8'), { filename: file, css: 'injected', generate: 'client' }).js.code };
    });
  },
};

/** One script (and its styles) out of the application's own `entry`, which may import any package. */
async function bundle(name, { entry, define = {} }) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: here, sourcefile: `${name}.jsx`, loader: 'jsx' },
    bundle: true, write: false, outdir: '/', format: 'esm', minify: false, legalComments: 'none', logLevel: 'error',
    nodePaths: shelves, plugins: [svelte], conditions: ['svelte', 'module'],
    define: { 'process.env.NODE_ENV': '"production"', ...define },
    loader: { '.woff': 'empty', '.woff2': 'empty', '.ttf': 'empty', '.svg': 'dataurl', '.png': 'dataurl' },
  });
  return new Map(outputFiles.map((file) => [path.extname(file.path), file.contents]));
}

const frame = (name, { title = name, body = '<div id="root"></div>' }) => `<!doctype html><html lang="en"><meta charset="utf-8">
  <title>${title}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/${name}.css"><body>${body}
  <script type="module" src="/${name}.js"></script></body></html>`;

export class AppServer {
  #bundles = new Map();

  static async start(apps) {
    const self = new AppServer();
    self.apps = apps;
    self.http = http.createServer((req, res) => {
      self.#answer(req, res).catch((err) => {
        res.writeHead(500);
        res.end(String(err.message));
      });
    });
    self.http.listen(0, '127.0.0.1');
    await once(self.http, 'listening');
    self.url = `http://127.0.0.1:${self.http.address().port}`;
    return self;
  }

  stop() {
    this.http.closeAllConnections();
    this.http.close();
  }

  bundle(name) {
    if (!this.#bundles.has(name)) this.#bundles.set(name, bundle(name, this.apps.get(name)));
    return this.#bundles.get(name);
  }

  async #find(pathname) {
    if (pathname.startsWith('/npm/')) return packaged(pathname.slice('/npm/'.length));
    const { name, ext } = path.parse(pathname);
    const app = this.apps.get(name);
    if (!app) return null;
    if (!ext) return app.page ?? frame(name, app);
    return (await this.bundle(name)).get(ext) ?? '';
  }

  async #answer(req, res) {
    if (req.method !== 'GET') {
      await once(req.resume(), 'end'); // uploads end here
      res.end('kept');
      return;
    }
    const { pathname } = new URL(req.url, this.url);
    const data = await this.#find(decodeURIComponent(pathname));
    const type = types[path.extname(pathname)] ?? 'text/html';
    res.writeHead(data === null ? 404 : 200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'max-age=600' });
    res.end(data ?? '');
  }
}
