// Renders the page of promises from their table and the results of the latest runs.

const number = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 });
const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');

const figure = ([name, value]) =>
  typeof value === 'number' ? `${number.format(value)} ${name}` : `${name}: ${value}`;

/** "1,200 requests, 0 lost" */
export const figuresText = (figures) => Object.entries(figures).map(figure).join(', ');

function runRow([command, run]) {
  if (!run) return `| \`${command}\` | not run | | |`;
  const minute = `${run.at.slice(0, 16).replace('T', ' ')} UTC`;
  const commit = run.isModified ? `${run.commit}, with changes` : run.commit;
  const counts = `${number.format(run.passed)} passed, ${number.format(run.failed)} failed`;
  return `| \`${command}\` | ${minute} | ${commit} | ${counts} |`;
}

const link = (file) => `[${file.split('/').pop()}](../${file})`;

/** A promise, the specs that prove it, and their figures. */
function promiseRow({ sentence, command }, proofs) {
  const distinct = (texts) => [...new Set(texts)].join('<br>');
  const files = distinct(proofs.map(({ file }) => link(file))) || '**not proved in this run**';
  const figures = distinct(proofs.map((proof) => figuresText(proof.figures)));
  return `| ${cell(sentence)} | \`${command}\` | ${cell(files)} | ${cell(figures)} |`;
}

/**
 * Markdown of the page. PROMISES: {id: {area, sentence, command}}; RUNS: {command: result of readResults()}, undefined for a
 * command without results.
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
