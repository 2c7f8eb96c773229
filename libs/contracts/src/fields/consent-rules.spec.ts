import { consentRefusal } from './consent-rules.js';

describe('a consent', () => {
  it.each([
    [true, undefined],
    [false, 'SVCUSER2302'],
    [undefined, 'SVCUSER2301'],
    [null, 'SVCUSER2301'],
    ['true', 'SVCUSER2303'],
    [1, 'SVCUSER2303'],
    [[true], 'SVCUSER2303'],
  ])('%j: %s', (given, code) => {
    expect(consentRefusal(given)).toBe(code);
  });
});
