import { isSameName, matchNames } from './name-matching.js';
import { readName } from './reading.js';
import { bandOf } from './scoring.js';

describe('bands', () => {
  it.each([
    [100, 'EXACT'],
    [99, 'STRONG'],
    [85, 'STRONG'],
    [84, 'REVIEW'],
    [70, 'REVIEW'],
    [69, 'MISMATCH'],
    [0, 'MISMATCH'],
  ])('puts the score %i into the band %s', (score, band) => {
    expect(bandOf(score)).toBe(band);
  });
});

describe('scores', () => {
  it.each([
    ['Asha Rao', 'ASHA RAO', 100],
    ['Ram Kumar', 'Ramkumar', 98],
    ['Rao Asha', 'Asha Rao', 96],
    ['Pooja Rao', 'Puja Rao', 96],
    ['Asha K Rao', 'Asha Kumari Rao', 95],
    ['Ramakrishnan Nair', 'Ramkrishnan Nair', 92],
    ['Asha Rao', 'Asha Kumari Rao', 84],
    ['Krishnamurthy Rao', 'Krishnamruthy Rao', 80],
    ['S.V. Krishnamurthy', 'Shiva Venkateshwara Krishnamurthy', 78],
    ['A Rao', 'Asha Rao', 76],
    ['Asha', 'Asha Rao', 74],
    ['Asha Rao', 'Usha Rao', 55],
    ['Asha Rao', 'Sunil Mehta', 0],
  ])('scores %s and %s with %i', (a, b, score) => {
    expect(matchNames(a, b).score).toBe(score);
  });

  it('scores lower with every further difference', () => {
    const further = [
      'Pooja Chaudhary',
      'Puja Chaudhary',
      'Puja Chowdhury',
      'Chowdhury Puja',
      'Chowdhury P',
      'P C',
    ];
    const scores = further.map((name) => matchNames('Pooja Chaudhary', name).score);
    expect(scores).toEqual([...scores].sort((x, y) => y - x));
    expect(new Set(scores).size).toBe(scores.length);
  });
});

describe('readName', () => {
  it.each([
    ['  Smt.  ASHA   Rao ', 'asha rao'],
    ['S.V. Krishnamurthy', 's v krishnamurthy'],
    ['José D’Souza', 'jose dsouza'],
    ['Ramesh Rao S/O Suresh Rao', 'ramesh rao'],
    ['Rameshbhai Patel', 'ramesh patel'],
    ['Asha .', 'asha'],
    ['Mr', 'mr'],
    ['श्रीमती आशा राव', 'आशा राव'],
    ['S/O Ramesh', 's o ramesh'],
  ])('reads %j as %j', (name, text) => {
    expect(readName(name).readings[0]!.text).toBe(text);
  });
});

describe('isSameName', () => {
  it.each([
    ['Asha Rao', 'ASHA  RAO'],
    ['Asha Rao', 'Smt. Asha Rao'],
    ['Asha Rao', 'Rao, Asha'],
    ['Ram Kumar', 'Ramkumar'],
    ['S V Rao', 'S.V. Rao'],
    ['Asha Rao', 'Asha Rao W/O Ramesh Rao'],
    ['Mr Kiran Rao', 'Mrs Kiran Rao'],
    ['José Dias', 'JOSE DIAS'],
    ['आशा राव', 'राव आशा'],
    ['അനില്\u200D', 'അനിൽ'],
    ['രാജന്\u200D മേനോന്\u200D', 'മേനോൻ രാജൻ'],
    ['উত্\u200Dপল', 'উৎপল'],
    ['రాజ్\u200Cకుమార్', 'రాజ్కుమార్'],
    ['ಕ\u0CC6\u0CC2ಡಗು', 'ಕೊಡಗು'],
  ])('accepts %s and %s', (a, b) => {
    expect(isSameName(a, b)).toBe(true);
  });

  it.each([
    ['Pooja Rao', 'Puja Rao'],
    ['A Rao', 'Asha Rao'],
    ['Asha', 'Asha Rao'],
    ['Asha Rao', 'Asha Kumari Rao'],
    ['Krishnamurthy', 'Krishnamruthy'],
    ['Asha Rao', 'Usha Rao'],
    ['', ''],
    ['.', '.'],
  ])('rejects %j and %j', (a, b) => {
    expect(isSameName(a, b)).toBe(false);
  });
});
