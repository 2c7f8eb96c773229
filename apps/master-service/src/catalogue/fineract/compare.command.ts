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
import { type FineractProduct, fineractProducts } from './fineract-products.js';
import { compareAmounts, type Trial } from './trial-deposits.js';

const NAME = 'catalogue:compare-fineract';
const HAS_DIFFERENCES = 2;

/**
 * `catalogue:compare-fineract FILE --product SHORT=FREQUENCY ... [--client ID]`: compares a catalogue file with the products and
 * interest rate charts of the issuer's Apache Fineract; with a client also our quotes with deposits that it computes. Exit code
 * 0: equal, 2: different.
 */
export function compareFineractCommand(env: Environment, now: () => Date = () => new Date()): Command {
  return {
    name: NAME,
    usage: 'FILE --product SHORT=FREQUENCY ... [--client ID [--within RUPEES]]',
    summary:
      "Compares a catalogue file with the products of the issuer's Apache Fineract; exit code 2: they differ. " +
      '--client applies for cumulative deposits of that client, compares their amounts with our quotes (--within: 1 rupee for ' +
      'each lakh), and deletes the applications.',
    async run(args) {
      const { values, positionals } = parseArgs({
        args,
        options: {
          product: { type: 'string', multiple: true, default: [] },
          client: { type: 'string' },
          within: { type: 'string', default: '1' },
        },
        allowPositionals: true,
      });
      const [file, ...others] = positionals;
      if (!file || others.length > 0) throw new CommandError(`${NAME}: name one file`);
      const frequencies = frequenciesOf(values.product);
      const trial = trialOf(values);
      const issuer = await issuerIn(file, now());
      const api = new FineractApi(env);
      const products = await fineractProducts(api);
      const lines = compareProducts(issuer, products, frequencies, now());
      const isCumulative = ({ shortName }: FineractProduct) => frequencies.get(shortName) === 'Maturity';
      if (trial)
        lines.push(...(await compareAmounts(api, issuer, products.filter(isCumulative), trial, now())));
      lines.forEach((line) => say(visible(line)));
      say(
        lines.length === 0
          ? `Equal: the catalogue has the rates, benefits and terms of Fineract${trial ? ', and our quotes its amounts' : ''}.`
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

function trialOf({ client, within }: { client?: string | undefined; within: string }): Trial | undefined {
  if (client === undefined) return undefined;
  if (!/^[1-9]\d{0,15}$/.test(client))
    throw new CommandError('--client: must be the id of a client in Fineract');
  if (!/^\d{1,7}(?:\.\d{1,2})?$/.test(within))
    throw new CommandError('--within: must be an amount in rupees');
  return { clientId: Number(client), within: Number(within) };
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
