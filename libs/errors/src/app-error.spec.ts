import { AppError, messageOf } from './app-error.js';
import { LoginErrors } from './catalogue/login.js';

describe('AppError', () => {
  it('takes the status and code of the first refusal', () => {
    expect(LoginErrors.tooManySends({ retryAfterSeconds: 3 })).toMatchObject({
      httpStatus: 429,
      code: LoginErrors.tooManySends.code,
    });
    const both = new AppError([{ error: LoginErrors.phoneInvalid }, { error: LoginErrors.tooManySends }]);
    expect(both).toMatchObject({ httpStatus: 400, code: LoginErrors.phoneInvalid.code });
  });

  it('takes status 400 and keeps the hint without refusals', () => {
    const error = AppError.unreadableRequest('Send JSON.');
    expect(error).toMatchObject({ httpStatus: 400, refusals: [], code: undefined, hint: 'Send JSON.' });
  });

  it('names the refused field and keeps its cause', () => {
    const cause = new Error('why');
    const error = LoginErrors.phoneInvalid({ field: 'phone', cause });
    expect(error.refusals).toEqual([{ error: LoginErrors.phoneInvalid, field: 'phone' }]);
    expect(error.cause).toBe(cause);
    expect(error).toBeInstanceOf(AppError);
  });

  it('inserts the seconds to wait into the message', () => {
    const error = LoginErrors.tooManySends({ retryAfterSeconds: 42 });
    expect(messageOf(LoginErrors.tooManySends, error)).toContain('42 seconds');
  });

  it('leaves no placeholder in a message without parameters', () => {
    expect(messageOf(LoginErrors.otpWrong)).not.toMatch(/[{}]/);
  });
});
