import { eventually } from '@fd/testing';
import type { Page } from 'playwright-core';
import {
  button,
  heading,
  logIn,
  open,
  sendCall,
  sendUpTo,
  takeCode,
  useProduct,
} from '../support/console-page.js';

useProduct();

describe('recovery from a provoked failure', () => {
  const provoke = async (page: Page, value: string): Promise<void> => {
    await page.getByLabel('Provoke').selectOption({ value });
    await sendCall(page);
  };
  const refusal = (page: Page, code: string) => page.getByRole('alert').getByText(code);
  const done = (page: Page, step: string) => page.locator('.step.is-done').getByText(step);
  const openStep = (page: Page, step: RegExp) => button(page, step).click();
  const complete = async (page: Page): Promise<void> => {
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 40_000 });
  };

  it("logs in with the person's own phone after an expired code", async () => {
    const page = await open('journey');
    const phone = page.getByLabel('phone', { exact: true });
    await eventually(async () => expect(await phone.inputValue()).toMatch(/^91\d{10}$/));
    const own = await phone.inputValue();
    await provoke(page, '0408');
    await takeCode(page);
    expect(await phone.inputValue()).toMatch(/0408$/);
    expect(await page.getByLabel('Provoke').inputValue()).toBe('0408');
    await sendCall(page);
    await refusal(page, 'SVCUSER2011').waitFor();
    await eventually(async () => expect(await phone.inputValue()).toBe(own));
    await button(page, 'Send a new code').click();
    await page.locator('.answer').getByText('Send a code: OTP sent successfully').waitFor();
    await takeCode(page);
    expect(await phone.inputValue()).toBe(own);
    await sendCall(page);
    await heading(page, 'Home').waitFor();
    await complete(page);
  });

  it('completes all steps after an expired login code', async () => {
    const page = await open('journey');
    await provoke(page, '0408');
    await takeCode(page);
    await sendCall(page);
    await refusal(page, 'SVCUSER2011').waitFor();
    await complete(page);
  });

  it("sends the person's own PAN while the registry does not answer", async () => {
    const page = await open('journey');
    await logIn(page);
    await sendUpTo(page, 'Verify the PAN');
    await provoke(page, '0504');
    await button(page, 'Send a value that succeeds').click();
    await done(page, 'Verify the PAN').waitFor();
    expect(await page.locator('.waiting-line').count()).toBe(0);
  });

  it.each([
    ['phone', /Log in/, '0503', 'SVCUSER2003'],
    ['PAN', /Verify the PAN/, '0404', 'SVCUSER2205'],
    ['PAN', /Verify the PAN/, '0500', 'SVCUSER2208'],
    ['email', /Verify the email/, '0505', 'SVCUSER2501'],
  ])("sends the person's own %s after a refusal: %s, %s", async (what, step, value, code) => {
    const page = await open('journey');
    if (what !== 'phone') {
      await logIn(page);
      await openStep(page, step);
    }
    await provoke(page, value);
    await refusal(page, code).waitFor();
    await button(page, 'Send a value that succeeds').click();
    await page.locator('.answer.good').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('continues with the eKYC when the customer search of an issuer is down', async () => {
    const page = await open('journey?issuer=nilgiri');
    await logIn(page);
    await openStep(page, /Verify the PAN/);
    await provoke(page, '0603');
    await done(page, 'Verify the PAN').waitFor();
    await button(page, 'Complete all steps').click();
    await refusal(page, 'SVCUSER2403').waitFor();
    await complete(page);
  });

  it("uses the person's own Aadhaar, email and account after refused ones", async () => {
    const page = await open('journey?issuer=sahyadri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    await sendCall(page);
    await provoke(page, '0427');
    await takeCode(page);
    await sendCall(page);
    await refusal(page, 'SVCUSER2427').waitFor();
    await button(page, 'Send a new Aadhaar code').click();
    await sendCall(page);
    await takeCode(page);
    await sendCall(page);
    await done(page, 'eKYC').waitFor();
    await sendUpTo(page, 'Verify the email');
    await provoke(page, '0408');
    await takeCode(page);
    await sendCall(page);
    await refusal(page, 'SVCUSER2504').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Send a new code' }).click();
    await page.locator('.answer.good').waitFor();
    await takeCode(page);
    await sendCall(page);
    await sendUpTo(page, 'Link a bank account');
    await provoke(page, '0423');
    await refusal(page, 'SVCUSER2752').waitFor();
    await page.getByLabel('Provoke').selectOption({ label: 'no failure' });
    await sendCall(page);
    await done(page, 'Link a bank account').waitFor();
    await complete(page);
  });
});
