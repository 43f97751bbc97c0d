// SPDX-License-Identifier: Apache-2.0
// A small disk that only one test and its daemon see: a file system in memory, in a mount namespace of its own.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from './daemon.mjs';

export class Disk {
  /** Null, with the test skipped and the reason said, where nothing can be mounted. */
  static async make(t, size) {
    const disk = new Disk();
    disk.dir = path.join(await tempDir(t), 'disk');
    await mkdir(disk.dir);
    const script = `mount -t tmpfs -o size=${size} none "$0" && echo ready && exec sleep 3600`;
    const keeper = spawn('unshare', ['-m', 'sh', '-c', script, disk.dir]);
    t.after(() => keeper.kill());
    let said = '';
    keeper.stderr.on('data', (data) => (said += data));
    const failed = new Promise((resolve) => keeper.on('error', resolve).on('close', resolve));
    const ready = await Promise.race([once(keeper.stdout, 'data'), failed.then(() => null)]);
    if (!ready) {
      t.skip(`no file system can be mounted here: ${said.trim()}`);
      return null;
    }
    disk.keeper = keeper.pid;
    disk.root = `/proc/${keeper.pid}/root`; // what the keeper sees, seen from here
    return disk;
  }

  get filler() {
    return path.join(this.root, this.dir, 'filler');
  }

  async fill() {
    const file = await open(this.filler, 'w');
    for (let size = 65_536; size >= 1; size = size > 1 ? size >> 4 : 0) {
      try {
        for (;;) await file.write(Buffer.alloc(size));
      } catch (err) {
        if (err.code !== 'ENOSPC') throw err;
      }
    }
    await file.close();
  }

  empty() {
    return rm(this.filler, { force: true });
  }

  remount(how) {
    const { status, stderr } = spawnSync('nsenter', ['-t', `${this.keeper}`, '-m', 'mount', '-o', `remount,${how}`, this.dir]);
    if (status) throw new Error(`${stderr}`);
  }
}
