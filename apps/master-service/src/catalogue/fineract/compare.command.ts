import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { isPayoutFrequency, PAYOUT_FREQUENCIES, type PayoutFrequency } from '@fd/contracts';
import { type Command, CommandError, type Environment, say, visible } from '@fd/platform';
import type { Issuer } from '../catalogue.js';
import { loadCatalogue } from '../files/load-catalogue.js';
import { formatProblem } from '../files/yaml-source.js';
import { compareProducts } from './compare-products.js';
import { FineractApi } from './fineract-api.js';
import { fineractProducts } from './fineract-products.js';

const NAME = 'catalogue:compare-fineract';
const HAS_DIFFERENCES = 2;

/**
 * `catalogue:compare-fineract FILE --product SHORT=FREQUENCY ...`: compares a catalogue file with the products and interest rate
 * charts of the issuer's Apache Fineract. Exit code 0: equal, 2: different.
 */
export function compareFineractCommand(env: Environment, now: () => Date = () => new Date()): Command {
  return {
    name: NAME,
    usage: 'FILE --product SHORT=FREQUENCY ...',
    summary:
      "Compares a catalogue file with the products of the issuer's Apache Fineract; exit code 2: they differ.",
    async run(args) {
      const { values, positionals } = parseArgs({
        args,
        options: { product: { type: 'string', multiple: true, default: [] } },
        allowPositionals: true,
      });
      const [file, ...others] = positionals;
      if (!file || others.length > 0) throw new CommandError(`${NAME}: name one file`);
      const frequencies = frequenciesOf(values.product);
      const issuer = await issuerIn(file, now());
      const api = new FineractApi(env);
      const products = await fineractProducts(api);
      const lines = compareProducts(issuer, products, frequencies, now());
      lines.forEach((line) => say(visible(line)));
      say(
        lines.length === 0
          ? 'Equal: the catalogue has the rates, benefits and terms of Fineract.'
          : `${lines.length} ${lines.length === 1 ? 'difference' : 'differences'}.`,
      );
      return lines.length === 0 ? 0 : HAS_DIFFERENCES;
    },
  };
}

function frequenciesOf(given: readonly string[]): Map<string, PayoutFrequency> {
  const frequencies = given.map((text): [string, PayoutFrequency] => {
    const [shortName, frequency, ...more] = text.split('=');
    if (!shortName || !isPayoutFrequency(frequency) || more.length > 0)
      throw new CommandError(
        `--product ${text}: must be SHORT=FREQUENCY, one of ${PAYOUT_FREQUENCIES.join(', ')}`,
      );
    return [shortName, frequency];
  });
  if (frequencies.length === 0) throw new CommandError(`${NAME}: name at least one product with --product`);
  return new Map(frequencies);
}

async function issuerIn(file: string, now: Date): Promise<Issuer> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandError(`${file}: cannot be read (${error.message})`);
  });
  const { issuers, problems } = loadCatalogue([{ file: basename(file), text }], now);
  const [issuer] = issuers;
  if (issuer) return issuer;
  const errors = problems.filter(({ severity }) => severity === 'error').map(formatProblem);
  throw new CommandError(errors.join('\n'));
}
