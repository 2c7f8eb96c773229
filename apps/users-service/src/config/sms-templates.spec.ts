import {
  isPanelText,
  isRegistered,
  renderedSms,
  SMS_TEXTS,
  type SmsTemplateId,
  smsTexts,
} from './sms-templates.js';

const TEXT =
  '{#numeric#} is your code to log in. It is valid for {#numeric#} minutes. Do not share it with anyone.';

describe('texts of short messages', () => {
  it.each(Object.entries(SMS_TEXTS))('limits %s to two variables, with words between them', (_id, text) => {
    expect(text.match(/\{[a-z]+\}/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(text).not.toMatch(/\}[^A-Za-z]*\{/);
    expect(text).toMatch(/^[\x20-\x7e]{1,320}$/);
  });

  describe('with the line for the browser', () => {
    const text = smsTexts('app.deposits.example').login_otp;

    it('ends with the domain and the code in a line of their own', () => {
      expect(renderedSms(text, { code: '042137', minutes: '7' })).toBe(
        '042137 is your code to log in. It is valid for a few minutes. Do not share it with anyone.\n@app.deposits.example #042137',
      );
      expect(smsTexts().login_otp).toBe(SMS_TEXTS.login_otp);
      expect(smsTexts('app.deposits.example').pan_taken_over).toBe(SMS_TEXTS.pan_taken_over);
    });

    it('has two variables, with words between them, and fits into one message of the longest domain', () => {
      expect(text.match(/\{[a-z]+\}/g)).toHaveLength(2);
      expect(text).not.toMatch(/\}[^A-Za-z]*\{/);
      // all characters are in the alphabet of GSM 03.38 (@ and # too), one septet each
      const filled = renderedSms(smsTexts('a'.repeat(60)).login_otp, { code: '042137' });
      expect(filled).toMatch(/^[A-Za-z0-9 .@#\n]{1,160}$/);
    });

    it.each([
      [text.replaceAll('{code}', '{#numeric#}'), true],
      [text.replaceAll('{code}', '{#numeric#}').replace('\n', ' '), true],
      [text.replaceAll('{code}', '{#numeric#}').replace('app.', 'www.'), false],
      [TEXT, false],
    ])('compares it with the registered text %j', (registered, fits) => {
      expect(isRegistered(text, { text: registered })).toBe(fits);
      expect(isPanelText(text, registered.replaceAll('{#numeric#}', '##code##'))).toBe(fits);
    });
  });

  it('fills in a value for each variable', () => {
    expect(renderedSms(SMS_TEXTS.login_otp, { code: '042137', minutes: '7' })).toBe(
      '042137 is your code to log in. It is valid for 7 minutes. Do not share it with anyone.',
    );
    expect(() => renderedSms(SMS_TEXTS.login_otp, { code: '042137' })).toThrow('no value for minutes');
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
    expect(isRegistered(SMS_TEXTS[template], { text })).toBe(fits);
  });
});
