import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ISSUERS } from '../../config/index.js';
import { BOOKING_RULES } from './booking.policy.js';
import { textsOf } from './booking.texts.js';
import { journeyPage } from './journey-docs.command.js';

/** Removes the alignment of tables by Prettier. */
const withoutLayout = (text: string): string => text.replace(/[ -]*\|[ -]*/g, '|').replace(/\n+/g, '\n');

describe('docs/journey.md', () => {
  it('equals the generated page', () => {
    const page = readFileSync(resolve(__dirname, '../../../../../docs/journey.md'), 'utf8');
    expect(withoutLayout(page)).toBe(withoutLayout(journeyPage(ISSUERS)));
  });

  it.each(BOOKING_RULES.map(({ code }) => code))('has the texts of %s in both languages', (code) => {
    for (const text of [textsOf(code, 'en'), textsOf(code, 'hi')].flatMap(Object.values))
      expect(journeyPage(ISSUERS)).toContain(text);
  });
});
