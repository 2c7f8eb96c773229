// The page of promises, made from their table and from the results of the latest runs.

const number = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 });
const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');

const figure = ([name, value]) =>
  typeof value === 'number' ? `${number.format(value)} ${name}` : `${name}: ${value}`;

/** "1,200 requests, 0 lost" */
export const figuresText = (figures) => Object.entries(figures).map(figure).join(', ');

const runRow = ([command, run]) => (run ? ranRow(run) : `| \`${command}\` | not run | | |`);

/** "2026-01-02 03:04 UTC" */
const minute = (instant) => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

const ranRow = ({ command, at, commit, isModified, passed, failed }) =>
  `| \`${command}\` | ${minute(at)} | ${commit}${isModified ? ', with changes' : ''} | ${number.format(passed)} passed, ${number.format(failed)} failed |`;

const link = (file) => `[${file.split('/').pop()}](../${file})`;

/** The files that proved a promise, and what each proof amounted to. */
function proofCells(proofs) {
  if (proofs.length === 0) return ['**not proved in this run**', ''];
  const files = [...new Set(proofs.map(({ file }) => file))];
  return [
    files.map(link).join('<br>'),
    [...new Set(proofs.map(({ figures }) => figuresText(figures)))].join('<br>'),
  ];
}

function promiseRow({ sentence, command }, proofs) {
  const [files, figures] = proofCells(proofs);
  return `| ${cell(sentence)} | \`${command}\` | ${cell(files)} | ${cell(figures)} |`;
}

/**
 * Markdown of the page. PROMISES: {id: {area, sentence, command}}; RUNS: {command: what readResults() gave}, undefined
 * for a command that has not run.
 */
export function trustPage(promises, runs) {
  const entries = Object.entries(promises);
  const provedBy = (id, { command }) => (runs[command]?.proofs ?? []).filter(({ promise }) => promise === id);
  const proved = entries.filter(([id, promise]) => provedBy(id, promise).length > 0);
  const areas = [...new Set(entries.map(([, { area }]) => area))];
  return [
    '# What is promised, and what has proved it',
    '',
    'Made by `npm run trust:docs` from `libs/testing/src/promises.json` and the results of the latest complete runs;',
    'not to be edited. A figure is what the test has counted in that run.',
    '',
    `${proved.length} of ${entries.length} promises were proved.`,
    '',
    '| run | at | commit | tests |',
    '| --- | --- | --- | --- |',
    ...Object.entries(runs).map(runRow),
    ...areas.flatMap((area) => [
      '',
      `## ${area}`,
      '',
      '| promise | command | proved by | figures |',
      '| --- | --- | --- | --- |',
      ...entries
        .filter(([, promise]) => promise.area === area)
        .map(([id, promise]) => promiseRow(promise, provedBy(id, promise))),
    ]),
    '',
  ].join('\n');
}
