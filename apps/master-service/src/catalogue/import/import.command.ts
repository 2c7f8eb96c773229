import { parseArgs } from 'node:util';
import {
  type Command,
  CommandError,
  FLAG,
  OPERATOR_HELP,
  OPERATOR_OPTIONS,
  operatorOf,
  say,
  visible,
  type WithDatabase,
} from '@fd/platform';
import { formatIndiaTime } from '../../dates/india-time.js';
import { logAct } from '../../operators/operator-log.js';
import { readCatalogue } from '../catalogue.repository.js';
import { loadCatalogue, readCatalogueFolder } from '../files/load-catalogue.js';
import { formatProblem } from '../files/yaml-source.js';
import type { Issuer } from '../catalogue.js';
import { type CatalogueDiff, diffCatalogues } from './catalogue-diff.js';
import { applyImport } from './import.repository.js';

const print = (line: string): void => void process.stderr.write(`${line}\n`);

/** `catalogue:import DIR [--apply --by NAME --reason WORD]`: checks a folder, prints the changes, and applies them. */
export function importCommand(withDatabase: WithDatabase): Command {
  return {
    name: 'catalogue:import',
    usage: 'DIR [--apply --by NAME --reason WORD]',
    summary: `Checks the catalogue files of a folder and shows what they would change; --apply changes it. ${OPERATOR_HELP}`,
    async run(args) {
      const { values, positionals } = parseArgs({
        args,
        options: { apply: FLAG, ...OPERATOR_OPTIONS },
        allowPositionals: true,
      });
      const [folder, ...others] = positionals;
      if (!folder || others.length > 0) throw new CommandError('catalogue:import: name one folder');
      const operator = values.apply ? operatorOf('catalogue:import --apply', values) : undefined;
      const issuers = await checkedIssuers(folder);
      if (!issuers) return 1;
      const diff = await withDatabase(async (dataSource) => {
        if (!operator) return diffCatalogues((await readCatalogue(dataSource)).issuers, issuers);
        const applied = await applyImport(dataSource, issuers);
        if (applied.revisionId) logAct(operator, 'CATALOGUE_IMPORTED', applied.revisionId);
        return applied;
      });
      warnOfBackdated(diff, new Date());
      report(diff, values.apply);
    },
  };
}

async function checkedIssuers(folder: string): Promise<readonly Issuer[] | undefined> {
  const texts = await readCatalogueFolder(folder).catch((error: Error) => {
    throw new CommandError(`${folder}: cannot be read (${error.message})`);
  });
  if (texts.length === 0) throw new CommandError(`${folder}: holds no .yaml files`);
  const { issuers, problems } = loadCatalogue(texts, new Date());
  problems.forEach((problem) => print(formatProblem(problem)));
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return issuers;
  print(`${errors} ${errors === 1 ? 'error' : 'errors'}: nothing was changed`);
  return undefined;
}

/** An issuer publishes a rate before the business day on which it begins (RBI's draft of 5 June 2026). */
function warnOfBackdated({ rates }: CatalogueDiff, now: Date): void {
  for (const { line, effectiveAt } of rates)
    if (effectiveAt < now)
      print(
        visible(`warning: ${line} has a new rate that began on ${formatIndiaTime(effectiveAt)}, in the past`),
      );
}

function report({ lines }: CatalogueDiff, isApplied: boolean): void {
  if (lines.length === 0) return say('Nothing to change: the catalogue is as these files say.');
  lines.forEach((line) => say(visible(line)));
  const changes = `${lines.length} ${lines.length === 1 ? 'change' : 'changes'}`;
  say(isApplied ? `Applied ${changes}.` : `${changes}, not applied: repeat with --apply.`);
}
