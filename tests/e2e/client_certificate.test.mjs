// SPDX-License-Identifier: Apache-2.0
// Sites that ask for a certificate of the user. tabard has none: a site that insists is an error at once, the others go on without.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, tempDir } from '../support/daemon.mjs';

/** A certificate, and how the browser is told to trust it. */
async function certificate(t) {
  const dir = await tempDir(t);
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost',
    '-keyout', `${dir}/key`, '-out', `${dir}/cert`], { stdio: 'ignore' });
  const [key, cert] = [readFileSync(`${dir}/key`), readFileSync(`${dir}/cert`)];
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return { key, cert, hash: createHash('sha256').update(spki).digest('base64') };
}

async function serve(t, { key, cert }, insists) {
  const options = { key, cert, requestCert: true, rejectUnauthorized: insists };
  const server = https.createServer(options, (req, res) => res.end('<title>Welcome</title>'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  return `https://127.0.0.1:${server.address().port}/`;
}

for (const engine of ['shell', 'chromium']) {
  test(`a site that asks for a certificate of the user does not hold up the call (${engine})`, async (t) => {
    const made = await certificate(t);
    const config = `browser:\n  args: ["--ignore-certificate-errors-spki-list=${made.hash}"]\n`;
    const daemon = await Daemon.start(t, { config });
    const agent = await Agent.connect(t, daemon, kinds[0]);
    await agent.call('start_session', { sessionId: 's', engine });
    const asks = await serve(t, made, false);
    const insists = await serve(t, made, true);
    assert.match(await agent.call('browser_navigate', { url: asks }), /"Welcome", status 200/);
    // The refusal and the closed connection reach the browser at the same moment: it names one of them, by chance.
    assert.match(await agent.failure('browser_navigate', { url: insists }), /the site asks for a client certificate|the server closed the connection/);
    assert.match(await agent.call('browser_navigate', { url: asks }), /"Welcome", status 200/);
  });
}
