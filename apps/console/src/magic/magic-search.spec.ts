import type { MagicValue } from '../shell/sandbox-api.js';
import { groupedMagic } from './magic-search.js';

const row = (what: string, value: string, effect: string): MagicValue => ({
  ...{ what, value, effect, input: 'pan', sample: `sample-${value}`, provider: null },
});

const ROWS = [
  row('Phone', '0503', 'Both providers are down.'),
  row('PAN', '0404', 'The registry does not know the PAN.'),
  row('Phone', '0504', 'Both providers hang.'),
];

const found = (search: string) =>
  groupedMagic(ROWS, search).map(([what, rows]) => [what, rows.map(({ value }) => value)]);

describe('the search for magic values', () => {
  it('groups all values by field', () => {
    expect(found('')).toEqual([
      ['Phone', ['0503', '0504']],
      ['PAN', ['0404']],
    ]);
  });

  it('finds values that contain every word, ignoring case', () => {
    expect(found('PHONE hang')).toEqual([['Phone', ['0504']]]);
    expect(found('sample-0404')).toEqual([['PAN', ['0404']]]);
    expect(found('phone registry')).toEqual([]);
  });
});
