// SPDX-License-Identifier: Apache-2.0
// One run of a job by one side. An act counts only when the page shows it: every act is followed by a look at the truth.

const acts = ['click', 'fill', 'hover', 'select', 'press', 'type', 'upload', 'drag', 'scroll', 'clickAt'];

/** What the user said and did not see, in words. */
class Failure extends Error {}

function words(values) {
  return values.map((value) => (value instanceof RegExp ? String(value) : JSON.stringify(value) ?? '')).join(' ');
}

/** Playwright's messages end in a log of every try; its colours are for a terminal. */
function gist(message) {
  const rows = message.replace(/\u001b\[\d+m/g, '').split('\n').map((row) => row.trim()).filter(Boolean);
  const why = rows.find((row) => /intercepts|not visible|not enabled|resolved to/.test(row));
  return rows[0].includes('exceeded') && why ? `${rows[0]} ${why}` : rows.slice(0, 3).join(' ');
}

/** A user whose acts are counted, and whose failures say which step it was. */
function watched(user, diary) {
  const self = { frame: (...args) => watched(user.frame(...args), diary) };
  for (const act of acts) {
    self[act] = async (...args) => {
      const what = `${act} ${words(args)}`;
      if (diary.unseen) throw new Failure(`the job is wrong: nothing is looked at between "${diary.unseen}" and "${what}"`);
      diary.steps += 1;
      diary.unseen = what;
      try {
        diary.reply = await user[act](...args);
      } catch (err) {
        throw new Failure(`step ${diary.steps}, ${what}: ${gist(err.message)}`);
      }
    };
  }
  self.see = async (holds, ...args) => {
    const seen = await user.see(holds, ...args);
    if (seen !== 'yes') {
      const reply = typeof diary.reply === 'string' ? ` Reply: ${diary.reply}` : '';
      throw new Failure(`step ${diary.steps}, ${diary.unseen}: the page does not show it (${holds} gives ${seen}).${reply}`);
    }
    diary.unseen = '';
  };
  return self;
}

/** Gives { ok, steps, seconds, failure, user }. `first` is called with the user when the page is ready; the session is left open. */
export async function attempt(side, url, app, first) {
  const diary = { steps: 0, unseen: '', reply: '' };
  const began = performance.now();
  let user;
  try {
    user = await side.open(url);
    await watched(user, diary).see(app.ready ?? (() => document.readyState === 'complete'));
    await first?.(user);
    await app.job(watched(user, diary));
    if (diary.unseen) throw new Failure(`the job is wrong: nothing is looked at after "${diary.unseen}"`);
  } catch (err) {
    return { ok: false, steps: diary.steps, seconds: (performance.now() - began) / 1000, failure: err.message, user };
  }
  return { ok: true, steps: diary.steps, seconds: (performance.now() - began) / 1000, user };
}
