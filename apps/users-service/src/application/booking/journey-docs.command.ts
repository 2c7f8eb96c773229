import type { BookingCode, DatedRule } from '@fd/contracts';
import { errorOf, JourneyErrors } from '@fd/errors';
import type { Command } from '@fd/platform';
import { type FindingEffect, type Issuer, ISSUERS } from '../../config/index.js';
import { journeyDocs } from '../../journey/index.js';
import { BOOKING_RULES } from './booking.policy.js';
import { textsOf } from './booking.texts.js';

/** The page `docs/journey.md`: generated from the tables, so it cannot differ from them. */
export const journeyPage = (issuers: readonly Issuer[]): string =>
  [
    journeyDocs(issuers),
    '## Booking check',
    '',
    'The findings of `GET /issuer-apis/{issuer_slug}/v1/booking-check`: blockers, or warnings that block nothing. The way out is sent with',
    'each, in English or Hindi (`lang`). A finding with a law applies only while the law is in force, and the issuer’s file',
    '(`apps/users-service/issuers`) decides where the law leaves it to the issuer. What was not compared with the official text is to be confirmed:',
    'see [compliance](compliance.md#booking-check).',
    '',
    '| code | finding | step | blocks | warns | law, since | way out |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    `| ${JourneyErrors.stepMissing.code} | ${JourneyErrors.stepMissing.text} | each | every issuer | | | ${textsOf(JourneyErrors.stepMissing.code, 'en').way_out} |`,
    ...BOOKING_RULES.map((rule) => row(rule, issuers)),
    '',
    'What the person reads:',
    '',
    '| code | message | message in Hindi | way out in Hindi |',
    '| --- | --- | --- | --- |',
    ...[JourneyErrors.stepMissing.code, ...BOOKING_RULES.map(({ code }) => code)].map(textsRow),
    '',
  ].join('\n');

function textsRow(code: BookingCode): string {
  const [english, hindi] = [textsOf(code, 'en'), textsOf(code, 'hi')];
  return `| ${[code, english.message, hindi.message, hindi.way_out].join(' | ')} |`;
}

function row(
  { code, step, effect, law }: (typeof BOOKING_RULES)[number],
  issuers: readonly Issuer[],
): string {
  const having = (wanted: FindingEffect): string => {
    const slugs = issuers.filter((issuer) => effect(issuer) === wanted).map(({ slug }) => slug);
    return slugs.length === issuers.length ? 'every issuer' : slugs.join(', ');
  };
  const [blocking, warning] = [having('BLOCK'), having('WARN')];
  const laws = new Set(
    issuers.flatMap((issuer) => (law?.(issuer) ?? []).filter(({ to }) => to === null).map(nameOf)),
  );
  const cells = [
    code,
    errorOf(code).text,
    step,
    blocking || (warning ? '' : 'new issuers'),
    warning,
    [...laws].join('; '),
  ];
  return `| ${[...cells, textsOf(code, 'en').way_out].join(' | ')} |`;
}

const nameOf = ({ law, section, from }: DatedRule<unknown>): string => `${law}, ${section}, ${from}`;

/** `journey:docs`: prints the page about the journey. Needs no settings and no database. */
export const journeyDocsCommand: Command = {
  name: 'journey:docs',
  usage: '',
  summary: 'Prints docs/journey.md, made from the tables of the journey and of the booking check.',
  run: () => {
    process.stdout.write(journeyPage(ISSUERS));
    return 0;
  },
};
