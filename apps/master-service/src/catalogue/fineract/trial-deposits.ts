import { toRupees } from '@fd/contracts';
import { CommandError } from '@fd/platform';
import { z } from 'zod';
import { indiaDateOf } from '../../dates/india-time.js';
import { type DepositQuote, quoteDeposit } from '../../maths/maturity.js';
import type { Issuer, Vehicle } from '../catalogue.js';
import { regularVehicles } from './compare-products.js';
import { type FineractApi, fineractDate, isoDateOf } from './fineract-api.js';
import type { FineractProduct } from './fineract-products.js';

const PATH = 'fixeddepositaccounts';

const submitted = z.object({ resourceId: z.number() });

/** An application: Fineract computes the amount when it is submitted. */
const account = z.object({ maturityAmount: z.number(), maturityDate: fineractDate });

/** Of a trial, as far as the vehicle allows. */
const LAKH = 100_000;

export interface Trial {
  /** An active client who gets neither the benefit of senior citizens nor that of women. */
  readonly clientId: number;
  /** Difference in rupees, for each lakh deposited, up to which two amounts are equal. */
  readonly within: number;
}

/**
 * Compares the quotes of cumulative vehicles with what Fineract itself computes: each is applied for, for its longest tenure,
 * and the application is deleted. Nothing is approved or paid.
 * @param products that pay all interest at maturity
 * @returns a line for each difference
 * @throws CommandError as `FineractApi.get`
 */
export async function compareAmounts(
  api: FineractApi,
  issuer: Issuer,
  products: readonly FineractProduct[],
  trial: Trial,
  now: Date,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { id: productId } of products)
    for (const vehicle of regularVehicles(issuer, 'Maturity', now)) {
      const deposit = depositOf(vehicle);
      const quote = quoteOf(issuer, vehicle, deposit, now);
      const theirs = await applied(api, {
        ...deposit,
        productId,
        clientId: trial.clientId,
        on: quote.startDate,
      });
      const within = (trial.within * deposit.amount) / LAKH;
      lines.push(...compare(quote, theirs, within).map((line) => `Maturity: ${nameOf(deposit)}: ${line}`));
    }
  return lines;
}

interface Deposit {
  /** Whole rupees. */
  readonly amount: number;
  readonly days: number;
}

const depositOf = ({ minInvestment, maxInvestment, maxTenure }: Vehicle): Deposit => ({
  amount: Math.min(maxInvestment, Math.max(minInvestment, LAKH)),
  days: maxTenure,
});

const nameOf = ({ amount, days }: Deposit): string => `${days} days, ${amount} rupees`;

const quoteOf = (issuer: Issuer, { rate }: Vehicle, { amount, days }: Deposit, now: Date): DepositQuote =>
  quoteDeposit({
    principalPaise: BigInt(amount) * 100n,
    annualRatePercent: rate,
    tenureDays: days,
    startDate: indiaDateOf(now),
    compounding: issuer.compounding,
    payoutFrequency: 'Maturity',
    switches: issuer.quoteSwitches,
  });

function compare(quote: DepositQuote, theirs: z.output<typeof account>, within: number): string[] {
  const lines: string[] = [];
  const ours = toRupees(quote.maturityAmountPaise);
  if (Math.abs(theirs.maturityAmount - ours) > within)
    lines.push(`pays ${theirs.maturityAmount.toFixed(2)} in Fineract, ${ours.toFixed(2)} by our quote`);
  const date = isoDateOf(theirs.maturityDate);
  if (date !== quote.maturityDateIst)
    lines.push(`matures on ${date} in Fineract, ${quote.maturityDateIst} by our quote`);
  return lines;
}

/** Applies for a deposit, reads what it would pay, and deletes the application. */
async function applied(
  api: FineractApi,
  {
    amount,
    days,
    productId,
    clientId,
    on,
  }: Deposit & { readonly productId: number; readonly clientId: number; readonly on: string },
): Promise<z.output<typeof account>> {
  const body = {
    clientId,
    productId,
    submittedOnDate: on,
    depositAmount: amount,
    depositPeriod: days,
    depositPeriodFrequencyId: 0,
    locale: 'en',
    dateFormat: 'yyyy-MM-dd',
  };
  const { resourceId: id } = await api.post(PATH, body, submitted);
  const read = await api.get(`${PATH}/${id}`, account).catch((error: unknown) => error as Error);
  await api.delete(`${PATH}/${id}`).catch((error: unknown) => {
    throw new CommandError(`${(error as Error).message}; delete the application ${id} of client ${clientId}`);
  });
  if (read instanceof Error) throw read;
  return read;
}
