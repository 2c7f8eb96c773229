import { isRegistered, renderedSms, SMS_TEXTS, type SmsTemplateId } from './sms-templates.js';

const TEXT =
  '{#numeric#} is your code to log in. It is valid for {#numeric#} minutes. Do not share it with anyone.';

describe('texts of short messages', () => {
  it.each(Object.entries(SMS_TEXTS))('limits %s to two variables, with words between them', (_id, text) => {
    expect(text.match(/\{[a-z]+\}/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(text).not.toMatch(/\}[^A-Za-z]*\{/);
    expect(text).toMatch(/^[\x20-\x7e]{1,320}$/);
  });

  it('fills in a value for each variable', () => {
    expect(renderedSms('login_otp', { code: '042137', minutes: '7' })).toBe(
      '042137 is your code to log in. It is valid for 7 minutes. Do not share it with anyone.',
    );
    expect(() => renderedSms('login_otp', { code: '042137' })).toThrow('no value for minutes');
  });

  it.each<[string, SmsTemplateId, string, boolean]>([
    ['the text with its holes', 'login_otp', TEXT, true],
    [
      'other kinds of holes',
      'login_otp',
      TEXT.replace('numeric', 'var').replace('numeric', 'alphanumeric'),
      true,
    ],
    ['other white space', 'login_otp', ` ${TEXT.replaceAll(' ', '\n ')}`, true],
    ['a text without holes', 'pan_taken_over', SMS_TEXTS.pan_taken_over, true],
    ['another word', 'login_otp', TEXT.replace('code', 'OTP'), false],
    ['another letter case', 'login_otp', TEXT.toUpperCase(), false],
    ['a hole of a kind that takes no numbers', 'login_otp', TEXT.replace('numeric', 'url'), false],
    ['a hole too few', 'login_otp', TEXT.replace('{#numeric#} minutes', '10 minutes'), false],
    ['our own notation', 'login_otp', SMS_TEXTS.login_otp, false],
    ['the text of another template', 'login_otp', SMS_TEXTS.pan_taken_over, false],
  ])('compares a text with the registered one: %s', (_what, template, text, fits) => {
    expect(isRegistered(template, { text })).toBe(fits);
  });
});
