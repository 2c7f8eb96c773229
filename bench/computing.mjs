// Time to compute a quote, without a request.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { appFolder } from '../tools/workspace.mjs';
import { spread } from './measure.mjs';

const PASSES = 20;

export async function measureComputing({ say, rounds }) {
  const folder = appFolder('master-service');
  const load = (file) => import(pathToFileURL(join(folder, 'dist', file)));
  const { quoteDeposit } = await load('maths/maturity.js');
  const { parseCivilDate } = await load('dates/civil-date.js');
  const { vectors, variants } = JSON.parse(readFileSync(join(folder, 'test/quote-vectors.json'), 'utf8'));
  const inputs = [...vectors, ...variants].map(({ input }) => ({
    principal: input.principal,
    annualRatePercent: input.annual_rate_pct,
    tenureDays: input.tenure_days,
    startDate: parseCivilDate(input.start_date),
    compounding: input.compounding,
    payoutFrequency: input.payout_frequency,
    switches: input.options,
  }));
  const pass = () => {
    for (const input of inputs) quoteDeposit(input);
  };
  for (let warmUp = 0; warmUp < PASSES; warmUp++) pass();
  const micros = Array.from({ length: Math.max(3, rounds) }, () => {
    const startedAt = performance.now();
    for (let index = 0; index < PASSES; index++) pass();
    return ((performance.now() - startedAt) * 1_000) / PASSES / inputs.length;
  });
  const figures = { quoteMicros: spread(micros), inputs: inputs.length };
  say(`a quote: ${figures.quoteMicros.median.toFixed(1)} us`);
  return figures;
}
