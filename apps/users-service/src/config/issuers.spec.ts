import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { ISSUERS, loadIssuers } from './issuers.js';

const issuerOf = (slug: string) => ISSUERS.find((issuer) => issuer.slug === slug)!;
const sample = issuerOf('aravalli');

describe('the issuers of this release', () => {
  it.each([
    ['aravalli', 'ARAVFIN', '1001', 'NBFC', 'HOSTED'],
    ['kaveri', 'KAVSFB', '1002', 'BANK', 'DIGILOCKER'],
    ['nilgiri', 'NILHFC', '1003', 'NBFC', 'HOSTED'],
    ['sahyadri', 'SAHCAP', '1004', 'NBFC', 'AADHAAR_OTP'],
    ['vindhya', 'VINBANK', '1005', 'BANK', 'HOSTED'],
  ])('includes the issuer %s', (slug, code, ending, type, method) => {
    expect(issuerOf(slug)).toMatchObject({
      code,
      id: `6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e${ending}`,
      type,
      ekyc_method: method,
    });
  });

  it('gives all issuers the common steps, and one of them two more', () => {
    for (const { slug, steps } of ISSUERS) {
      const more = slug === 'sahyadri' ? ['LEAD', 'KYC_CONTEXT'] : [];
      const rest = ['PAN', 'EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK', 'NOMINEE'];
      expect(steps).toEqual(['LOGIN', 'HOME', 'FD_DETAIL', ...more, ...rest]);
    }
  });

  it('names issuers and codes as in the catalogue', () => {
    for (const { slug, code, id, name, type, nominee_required: isNomineeRequired } of ISSUERS) {
      const file = resolve(__dirname, `../../../master-service/catalogue/${slug}.yaml`);
      const text = readFileSync(file, 'utf8');
      for (const line of [
        `f_issuer_id: ${id}`,
        `f_code: ${code}`,
        `name: ${name}`,
        `issuer_type: ${type}`,
        `is_nominee_required: ${isNomineeRequired}`,
      ]) {
        expect(text).toContain(`  ${line}\n`);
      }
    }
  });
});

describe('loading issuers', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'issuers-')), 'issuers');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: object) => writeFileSync(join(folder, name), stringify(content));

  it('reads a new issuer from its file, with the booking check that the law asks for', () => {
    write('palani.yaml', {
      ...sample,
      slug: 'palani',
      code: 'PALFIN',
      id: '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1006',
      booking: undefined,
    });
    const byLaw = { minor_applicant: 'BLOCK', inoperative_pan: 'WARN', fact_sheet: 'BY_LAW' };
    expect(loadIssuers(folder)).toMatchObject([{ slug: 'palani', booking: byLaw }]);
  });

  it.each([
    ['a field that is missing', { name: undefined }, /aravalli.yaml: name/],
    ['a name that is not UTF-8', { name: 'Aravalli\uFFFD' }, /aravalli.yaml: name: is not UTF-8/],
    ['an unknown field', { nmae: 'x' }, /aravalli.yaml: .*nmae/],
    ['an unknown step', { steps: ['LOGIN', 'DANCE'] }, /aravalli.yaml: steps.1/],
    ['a slug that is not the name of the file', { slug: 'other' }, /slug must be the name of the file/],
    ['a wire format without an adapter', { api: 'soap' }, /aravalli.yaml: api/],
  ])('refuses %s', (_name, change, problem) => {
    write('aravalli.yaml', { ...sample, ...change });
    expect(() => loadIssuers(folder)).toThrow(problem);
  });

  it('refuses a slug with a digit, which the tables of events do not take', () => {
    write('aravalli2.yaml', { ...sample, slug: 'aravalli2' });
    expect(() => loadIssuers(folder)).toThrow(/aravalli2.yaml: slug: /);
  });

  it.each(['code', 'id'] as const)('refuses two issuers with one %s', (key) => {
    write('aravalli.yaml', sample);
    write('vindhya.yaml', { ...issuerOf('vindhya'), [key]: sample[key] });
    expect(() => loadIssuers(folder)).toThrow(`the same ${key}`);
  });
});
