// SPDX-License-Identifier: Apache-2.0
// A small web site on loopback for the end-to-end tests: login, chat, forms, and everything that goes wrong.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { plant } from './canaries.mjs';
import { until } from './daemon.mjs';

const page = (title, body) => `<!doctype html><meta charset="utf-8"><title>${title}</title><body>${body}</body>`;

const pages = {
  '/': () => page('Home', '<h1>Home</h1><a href="/list">List</a> <a href="/login">Log in</a>'),
  '/login': () => page('Log in', `<h1>Log in</h1><form action="/session" method="post">
    <label>User <input id="user" name="user"></label>
    <label>Password <input id="password" name="password" type="password"></label>
    <button id="login">Log in</button></form>`),
  '/list': () => page('List', `<h1>List</h1><ul>${Array.from({ length: 20 },
    (_, i) => `<li><a href="/item/${i}">Item ${i}</a> <button>Buy ${i}</button></li>`).join('')}</ul>`),
  '/form': () => page('Form', `<label>Name <input id="name" value="old"></label>
    <label>Notes <textarea id="notes"></textarea></label>
    <label>Colour <select id="colour"><option value="r">Red</option><option value="g">Green</option></select></label>
    <label><input type="checkbox" id="agree"> Agree</label>
    <button id="covered" style="position:absolute;top:300px;left:20px">Covered</button>
    <div id="banner" style="position:absolute;top:280px;left:0;width:400px;height:80px;background:#eee">Cookie banner</div>
    <button id="count" onclick="this.textContent = 'Clicked ' + (window.n = (window.n || 0) + 1)">Count</button>`),
  '/tall': () => page('Tall', `<button id="tip" onmouseenter="this.textContent = 'Over'">Tip</button>
    <div style="height:5000px"></div><p>The end</p>`),
  '/desk': () => page('Desk', `<input id="file" type="file" onchange="this.files[0].text().then((text) => { document.title = text; })">
    <p id="from" draggable="true">Card</p><div id="to" style="width:200px;height:100px;background:#eee"
      ondragover="event.preventDefault()" ondrop="event.preventDefault(); document.title = 'Dropped'">Tray</div>
    <button onclick="choose()">Attach</button>
    <script>const choose = () => { const field = Object.assign(document.createElement('input'), { type: 'file', multiple: true, accept: '.txt' });
      field.onchange = () => field.files[1].text().then((text) => { document.title = text; }); field.click(); };</script>
    <script>console.error('Out of paper'); addEventListener('mousedown', (e) => { window.at = [e.clientX, e.clientY]; });</script>`),
  '/soon': () => page('Soon', `<p id="state">Rest</p><div id="box"></div>
    <style>#veil { opacity: 0; transition: opacity .1s } #veil.on { opacity: 1 }</style><div id="veil"></div>
    <button id="timer" onclick="setTimeout(() => { location.href = '/list'; })">Timer</button>
    <button id="fetch" onclick="state.textContent = 'Busy'; fetch('/').then((answer) => answer.text()).then(() => { location.href = '/list'; })">Fetch</button>
    <button id="save" onclick="fetch('/').then(() => { box.innerHTML = '<p role=alert>Saved</p>'; })">Save</button>
    <button id="open" onclick="veil.className = 'on'; veil.ontransitionend = () => { box.innerHTML = '<dialog open aria-label=Sure>Well?</dialog>'; }">Open</button>
    <button id="late" onclick="state.textContent = 'Busy'; setTimeout(() => { location.href = '/form'; }, 100)">Late</button>`),
  '/greet': () => page('Greet', '<h1>Greet</h1><script>alert("Welcome")</script>'),
  '/hang': () => page('Hang', '<h1>Hang</h1><script>for(;;);</script>'),
  '/alert': () => page('Alert', '<button id="ask" onclick="document.title = confirm(\'Really?\')">Ask</button>'),
  '/loop': () => page('Loop', '<button id="spin" onclick="for(;;);">Spin</button>'),
  '/popups': () => page('Popups', `<button id="open" onclick="for (let i = 0; i < 1000; i++) window.open('/?' + i)">Open</button>
    <a id="one" href="/list" target="_blank">One</a>`),
  '/replace': () => page('Replace', `<div id="box"><button onclick="window.hit = 'old'">Go</button></div><script>
    window.replace = () => { document.getElementById('box').innerHTML = '<button onclick="window.hit = \\'new\\'">Go</button>'; };
    </script>`),
  '/later': () => page('Later', `<div id="box"></div><script>setTimeout(() => {
    document.getElementById('box').innerHTML = '<p id="done">It is done</p>'; }, 200);</script>`),
};

export class Site {
  static async start(t) {
    const site = new Site();
    site.messages = [];
    site.waiting = [];
    site.hearers = new Set(); // one for each open page of the chat
    site.logins = new Map();
    site.seen = [];
    site.server = http.createServer((req, res) => site.answer(req, res));
    site.server.listen(0, '127.0.0.1');
    await once(site.server, 'listening');
    site.url = `http://127.0.0.1:${site.server.address().port}`;
    t.after(() => {
      site.server.closeAllConnections();
      site.server.close();
    });
    return site;
  }

  user(req) {
    const id = /sid=(\w+)/.exec(req.headers.cookie ?? '')?.[1];
    return this.logins.get(id);
  }

  async body(req) {
    let text = '';
    for await (const data of req) text += data;
    return new URLSearchParams(text);
  }

  html(res, text, headers = {}) {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    res.end(text);
  }

  async answer(req, res) {
    const { pathname, searchParams } = new URL(req.url, this.url);
    this.seen.push({ path: pathname, cookie: req.headers.cookie ?? '' });
    if (pages[pathname]) return this.html(res, pages[pathname]());
    if (pathname.startsWith('/item/')) return this.html(res, page(`Item ${pathname.slice(6)}`, `<h1>Item ${pathname.slice(6)}</h1>`));
    const handler = this[`on_${pathname.slice(1).replaceAll('-', '_')}`];
    if (handler) return handler.call(this, req, res, searchParams);
    res.writeHead(404, { 'content-type': 'text/html' });
    return res.end(page('Not here', '<h1>404</h1>'));
  }

  async on_session(req, res) {
    const form = await this.body(req);
    const id = `s${this.logins.size}${randomBytes(9).toString('hex')}`;
    plant('a cookie of the site', id);
    this.logins.set(id, form.get('user'));
    res.writeHead(303, { location: '/account', 'set-cookie': `sid=${id}; Path=/; HttpOnly` });
    res.end();
  }

  /** A login that needs both: a cookie that no script sees, and a token in the page's storage. */
  on_enter(req, res) {
    const id = `v${this.logins.size}${randomBytes(9).toString('hex')}`;
    plant('a cookie and a token of the site', id);
    this.logins.set(id, 'Ann');
    this.html(res, page('Entered', `<input id="note"><script>localStorage.token = 'of-${id}'; sessionStorage.step = 'entered';
      history.replaceState(0, '', '/vault')</script>`), { 'set-cookie': `sid=${id}; Path=/; HttpOnly; SameSite=Strict` });
  }

  on_vault(req, res) {
    this.html(res, page('Vault', `<input id="note"><script>window.proof = fetch('/proof', { headers: {
      'x-token': localStorage.token ?? '', 'x-step': sessionStorage.step ?? '' } }).then((answer) => answer.text())</script>`));
  }

  on_proof(req, res) {
    const { 'x-token': token, 'x-step': step } = req.headers;
    const id = /^of-(\w+)$/.exec(token)?.[1];
    res.end(this.user(req) && req.headers.cookie === `sid=${id}` ? `inside, ${step}` : `outside: ${req.headers.cookie} ${token}`);
  }

  on_account(req, res) {
    const user = this.user(req);
    this.html(res, page('Account', user ? `<h1>Hello ${user}</h1>` : '<h1>Please log in</h1>'));
  }

  on_chat(req, res) {
    const user = this.user(req) ?? 'nobody';
    this.html(res, page('Chat', `<h1>Chat of ${user}</h1><input id="message-input"><button id="send-button">Send</button>
      <a id="more" href="/chat" target="_blank">More</a>
      <ul id="messages"></ul><script>
      const show = (text) => { const li = document.createElement('li'); li.textContent = text; document.getElementById('messages').append(li); };
      document.getElementById('send-button').onclick = () => fetch('/say', { method: 'POST',
        body: new URLSearchParams({ text: document.getElementById('message-input').value }) });
      (async () => { for (let from = 0; ;) { const list = await (await fetch('/hear?from=' + from, { cache: 'no-store' })).json();
        list.forEach(show); from += list.length; } })();
      </script>`));
  }

  async on_say(req, res) {
    const form = await this.body(req);
    this.messages.push(`${this.user(req)}: ${form.get('text')}`);
    this.waiting.splice(0).forEach((answer) => answer());
    res.end('{}');
  }

  on_hear(req, res, query) {
    const from = Number(query.get('from'));
    this.hearers.add(res);
    res.once('close', () => this.hearers.delete(res));
    const answer = () => res.end(JSON.stringify(this.messages.slice(from)));
    if (this.messages.length > from) return answer();
    return this.waiting.push(answer);
  }

  on_whoami(req, res) {
    res.end(req.headers.cookie ?? '');
  }

  on_redirect(req, res) {
    res.writeHead(302, { location: '/redirect' });
    res.end();
  }

  on_hop(req, res) {
    res.writeHead(302, { location: '/list' });
    res.end();
  }

  on_never(req) {
    this.hanging = req;
  }

  /** Waits until so many pages of the chat are open. */
  heardBy(count) {
    return until(() => this.hearers.size === count, 5000, `${count} pages listen`);
  }

  on_file(req, res) {
    res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="report.bin"' });
    res.end(req.url.endsWith('?more') ? 'more content of a file' : 'file content');
  }
}
