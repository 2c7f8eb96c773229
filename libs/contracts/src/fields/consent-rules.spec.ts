import { ConsentErrors, type ErrorDefinition } from '@fd/errors';
import { consentRefusal } from './consent-rules.js';

describe('a consent', () => {
  it.each<[unknown, ErrorDefinition | undefined]>([
    [true, undefined],
    [false, ConsentErrors.refused],
    [undefined, ConsentErrors.missing],
    [null, ConsentErrors.missing],
    ['true', ConsentErrors.notBoolean],
    [1, ConsentErrors.notBoolean],
    [[true], ConsentErrors.notBoolean],
  ])('accepts only true: %j', (given, error) => {
    expect(consentRefusal(given)).toBe(error);
  });
});
