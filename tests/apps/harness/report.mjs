// SPDX-License-Identifier: Apache-2.0
// bench/APPS.md: the table, what failed, and which names are missing.
import os from 'node:os';

const SHOWN = 12; // missing names of one application

const cell = (text) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
const kb = (chars) => (chars === undefined ? '–' : (chars / 1024).toFixed(1));
const percent = (part, all) => (all ? `${(part / all * 100).toFixed(1)} %` : '–');
const side = ({ ok, seconds }, times) => `${ok} of ${times}${seconds === undefined ? '' : `, ${seconds.toFixed(1)} s`}`;

const HEAD = ['application', 'kind', 'steps', 'tabard', 'playwright-core', 'names', 'outline KB', 'aria snapshot KB'];

function table(rows) {
  const lines = rows.map(({ app, steps, times, tabard, playwright, total, missing, sizes }) => [app.name, app.kind, steps,
    side(tabard, times), side(playwright, times), `${total - missing.length} of ${total}`, ...sizes.map(kb)]);
  return [HEAD, HEAD.map((_, i) => (i < 2 ? '---' : '--:')), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function failed(rows) {
  const lines = rows.flatMap(({ app, tabard, playwright }) => Object.entries({ tabard, playwright })
    .flatMap(([who, { failures }]) => failures.map((failure) => `- ${app.name}, ${who}: ${cell(failure).slice(0, 400)}`)));
  return lines.length ? lines.join('\n') : 'Nothing.';
}

/** Equal ones once, with how often they are missing. */
function lost(rows) {
  const sections = rows.filter(({ missing }) => missing.length).map(({ app, missing }) => {
    const counts = new Map();
    for (const { role, name } of missing) {
      const what = `${role} "${cell(name).slice(0, 80)}"`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
    const words = [...counts].map(([what, count]) => (count > 1 ? `${what} (${count} times)` : what));
    const more = words.length > SHOWN ? `, and ${words.length - SHOWN} more` : '';
    return `- ${app.name} (${missing.length}): ${words.slice(0, SHOWN).join(', ')}${more}${app.missing ? `. ${app.missing}` : ''}`;
  });
  return sections.length ? sections.join('\n') : 'None.';
}

function whole(rows) {
  const sum = (pick) => rows.reduce((all, row) => all + pick(row), 0);
  const total = sum((row) => row.total);
  const found = total - sum((row) => row.missing.length);
  const always = (who) => rows.filter((row) => row[who].ok === row.times).length;
  const size = (which) => kb(sum((row) => row.sizes[which] ?? 0));
  const better = rows.filter((row) => row.playwright.ok > row.tabard.ok).map((row) => row.app.name);
  const packages = new Set(rows.flatMap((row) => row.app.packages));
  return `${rows.length} applications of ${new Set(rows.map((row) => row.app.kind)).size} kinds, out of ${packages.size} packages.
Jobs done in every run: tabard ${always('tabard')}, playwright-core ${always('playwright')}.
Where playwright-core succeeds more often: ${better.length ? better.join(', ') : 'none'}.
Named widgets in the outline: ${found} of ${total}, ${percent(found, total)}.
Size of all outlines in the first state: ${size(0)} KB; of playwright-core's aria snapshots, in the mode that has refs, ${size(1)} KB.`;
}

function machine({ seconds, version }) {
  const { model } = os.cpus()[0];
  return `${new Date().toISOString().slice(0, 10)}, ${model.split(' ').slice(0, 2).join(' ')}, ${os.cpus().length} cores, Chromium ${version}.
${Math.round(seconds)} s in all; load average of the last five minutes ${os.loadavg()[1].toFixed(1)}.`;
}

export function report(rows, about) {
  return `# Real applications

${machine(about)}

Written by \`make apps\`. Applications and widget libraries from npm, with fixed versions, on a server on loopback. Each has a job
(\`tests/apps/NAME.mjs\`), which tabard does through MCP as an agent would (it looks at the outline, finds the line by role and name, and
uses its ref) and playwright-core by its locators, on the same Chromium. Where a widget has no role or name, both get the same selector.
After every act a script in the page says whether it has happened. The time is the median of a whole run, with the start of the session
and the page.

Names: widgets with a name in \`Accessibility.getFullAXTree\` of all frames, before and after the job, against the lines of the outline of
the same page at the same time. \`tests/apps/harness/names.mjs\` says what counts.

${whole(rows)}

${table(rows)}

## What failed

${failed(rows)}

## Names that are missing

${lost(rows)}
`;
}
