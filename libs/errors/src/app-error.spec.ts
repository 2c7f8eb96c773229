import { AppError, messageOf } from './app-error.js';

describe('AppError', () => {
  it('takes its status from the first refusal', () => {
    expect(new AppError('SVCUSER2001', { retryAfterSeconds: 3 }).httpStatus).toBe(429);
    expect(new AppError([{ code: 'SVCUSER1208' }, { code: 'SVCUSER2001' }]).httpStatus).toBe(400);
  });

  it('is a plain 400 without refusals', () => {
    expect(AppError.unusableRequest()).toMatchObject({ httpStatus: 400, refusals: [] });
  });

  it('offers the seconds to wait to the message', () => {
    const error = new AppError('SVCUSER2001', { retryAfterSeconds: 42 });
    expect(messageOf('SVCUSER2001', error.params)).toContain('42 seconds');
  });

  it('leaves no placeholder in a message', () => {
    expect(messageOf('SVCUSER2010')).not.toMatch(/[{}]/);
  });
});
