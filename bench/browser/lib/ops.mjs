// SPDX-License-Identifier: Apache-2.0
// What is measured. A target is named by a selector, and by its line in an outline for those who
// take only what their own snapshot has named.
const targets = {
  note: { css: '#note', line: /textbox "Note"/ },
  count: { css: '#count', line: /button "Count"/ },
  user: { css: '#user', line: /textbox "User"/ },
  password: { css: '#password', line: /textbox "Password"/ },
  submit: { css: '#submit', line: /button "Log in"/ },
  filter: { css: '#filter', line: /textbox "Filter"/ },
  apply: { css: '#apply', line: /button "Apply"/ },
};

function must(fact, words) {
  if (!fact) throw new Error(words);
}

/** A snapshot of the page that is to be there now. One of an old page has to be taken again, as an agent would have to. */
async function look(session, words, gone) {
  for (let tries = 0; tries < 50; tries += 1) {
    const text = await session.snapshot();
    if (text.includes(words) && !(gone && text.includes(gone))) return text;
    session.stale = (session.stale ?? 0) + 1;
  }
  throw new Error(`no snapshot has ${words}`);
}

/** Ten steps: log in, see the list, filter it, see it again, count. */
async function workflow(session, site) {
  await session.navigate(`${site}/login.html`);
  await look(session, 'Log in');
  await session.fill(targets.user, 'ada');
  await session.fill(targets.password, 'engine');
  await session.clickThrough(targets.submit);
  await look(session, 'Walnut Chair 1', 'Password');
  await session.fill(targets.filter, 'lamp');
  await session.click(targets.apply);
  await look(session, 'Birch Lamp 10', 'Walnut Chair 1');
  const shown = await session.evaluate("document.querySelectorAll('.item:not([hidden])').length");
  must(String(shown).includes('20'), `the list shows ${shown}`);
}

async function settled(session, script, words) {
  const text = String(await session.evaluate(script));
  must(text.includes(words), `${script} gives ${text}, not ${words}`);
}

/**
 * `before` and `after` a block of repetitions are not timed; `times` says how many of them there are for one of the rest; only
 * sessions that have the method `needs` take part.
 */
export function operations(site) {
  const items = `${site}/items-200.html`;
  const show = (name) => (session) => session.navigate(`${site}/${name}.html`);
  const ready = (target) => async (session) => {
    await session.navigate(items);
    await session.prepare?.(target);
  };
  // Where a call takes a few milliseconds, many cost little and steady the figure: the middle half of them lies up to 70 % apart.
  const short = (quickly) => (quickly ? 8 : 1);
  let turn = 0;
  return [
    {
      key: 'evaluate', label: 'evaluate', times: short, before: show('items-200'),
      run: async (session) => must(String(await session.evaluate('6*7')).includes('42'), 'evaluate is wrong'),
    },
    {
      key: 'fill', label: 'fill', times: short, before: ready(targets.note),
      run: (session) => session.fill(targets.note, `value ${turn += 1}`),
      after: (session) => settled(session, "document.querySelector('#note').value", 'value '),
    },
    {
      key: 'click', label: 'click', times: short, before: ready(targets.count),
      run: (session) => session.click(targets.count),
      after: async (session, done) => settled(session, "document.querySelector('#counted').textContent", String(done)),
    },
    { key: 'navigate', label: 'navigate, 200-item page', run: (session) => session.navigate(items) },
    {
      key: 'snapshot200', label: 'snapshot, 200 items', times: short, before: show('items-200'),
      run: (session) => look(session, 'Birch Shelf 3'),
    },
    {
      key: 'snapshot2000', label: 'snapshot, 2,000 elements', times: short, before: show('elements-2000'),
      run: (session) => look(session, 'Remove 7'),
    },
    { key: 'outline200', needs: 'outline', times: short, before: show('items-200'), run: (session) => session.outline() },
    { key: 'outline2000', needs: 'outline', times: short, before: show('elements-2000'), run: (session) => session.outline() },
    { key: 'screenshot', label: 'screenshot 1280x720, JPEG', before: show('items-200'), run: (session) => session.screenshot() },
    { key: 'workflow', label: 'ten-step workflow', times: () => 0.5, run: (session) => workflow(session, site) },
  ];
}
