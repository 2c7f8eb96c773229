import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import type { Page } from 'playwright-core';
import {
  button,
  heading,
  logIn,
  open,
  reloadWith,
  sendCall,
  sendUpTo,
  takeCode,
  useProduct,
} from '../support/console-page.js';

useProduct();

describe('the answer panel', () => {
  it('shows result, reason and next step, with one button for it', async () => {
    const page = await open('journey');
    await sendCall(page);
    const answer = page.locator('.answer');
    await answer.getByText('Send a code: OTP sent successfully').waitFor();
    expect(await answer.locator('dt').allTextContents()).toEqual(['Why', 'Next']);
    expect(await answer.textContent()).toMatch(
      /It was accepted\. .*Attempts left: \d.*Log in: A one-time code/s,
    );
    await button(page, 'Continue: Log in').focus();
    const looks = 'getComputedStyle(document.querySelector(".step-panel form [type=submit]")).fontWeight';
    expect(await page.evaluate(looks)).toBe('500');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('field-otp');
    expect(await page.evaluate(looks)).toBe('600');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('brings the reader to the field that was refused', async () => {
    const page = await open('journey');
    await button(page, 'Send').waitFor();
    await page.getByLabel('phone', { exact: true }).fill('12');
    await sendCall(page);
    await button(page, 'Correct phone').click();
    expect(await page.evaluate('document.activeElement.id')).toBe('field-phone');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('brings the reader to the named field, into closed optional fields too', async () => {
    const page = await open('journey?issuer=kaveri');
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    await page.getByLabel('dob', { exact: true }).fill('yesterday');
    await sendCall(page);
    await button(page, 'Correct dob').click();
    expect(await page.evaluate('document.activeElement.id')).toBe('field-dob');
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 60_000 });
    await button(page, /Link a bank account/).click();
    const optional = page.getByText(/^Optional fields/);
    await optional.click();
    await page.locator('#field-account_holder_full_name').fill('N0b0dy');
    await optional.click();
    await sendCall(page);
    await button(page, 'Correct account_holder_full_name').click();
    expect(await page.evaluate('document.activeElement.id')).toBe('field-account_holder_full_name');
    expect(await page.evaluate('document.activeElement.checkVisibility()')).toBe(true);
  });

  it('refills a form with the code, and keeps the focus when a code is taken', async () => {
    const page = await open('journey');
    await sendCall(page);
    const otp = page.getByLabel('otp', { exact: true });
    await otp.waitFor();
    await button(page, 'Refill').click();
    await eventually(async () => expect(await otp.inputValue()).toMatch(/^\d{6}$/));
    await otp.fill('');
    await takeCode(page);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Take it from the inbox');
  });

  it('names the call that comes next, not the step that is done', async () => {
    const page = await open('journey');
    await logIn(page);
    await sendUpTo(page, 'Verify the PAN');
    await sendCall(page);
    await button(page, 'Continue: Check for an existing customer').waitFor();
  });

  it('waits for a pending result after a skipped step', async () => {
    const page = await open('journey');
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    await page.getByLabel('Provoke').selectOption({ value: '0202' });
    await sendCall(page);
    await page.getByRole('progressbar', { name: 'Waiting for the PAN registry' }).waitFor();
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
  });

  it('sends a new Aadhaar code after the last wrong one', async () => {
    const page = await open('journey?issuer=sahyadri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    await sendCall(page);
    await button(page, 'Continue: Send an Aadhaar code').click();
    await sendCall(page);
    const alert = page.getByRole('alert');
    for (const left of [4, 3, 2, 1, 0]) {
      await page.getByLabel('otp', { exact: true }).fill('000000');
      await sendCall(page);
      await alert.getByText(`Tries left: ${left}.`).waitFor();
    }
    expect(await button(page, 'Correct otp').count()).toBe(0);
    await button(page, 'Send a new Aadhaar code').waitFor();
  });

  it('empties and focuses the field of a code once a new one is sent', async () => {
    const page = await open('journey');
    const otp = page.getByLabel('otp', { exact: true });
    const isEmptyAndFocused = () =>
      eventually(async () => {
        expect(await page.evaluate('document.activeElement.id')).toBe('field-otp');
        expect(await otp.inputValue()).toBe('');
      });
    await sendCall(page);
    await isEmptyAndFocused();
    // as an opened call, which stays when its code is dead
    await button(page, 'Log in with the code').click();
    for (const left of [4, 3, 2, 1, 0]) {
      await otp.fill('000000');
      await sendCall(page);
      await page.getByRole('alert').getByText(`Tries left: ${left}.`).waitFor();
    }
    await button(page, 'Send a new code').click();
    await page.locator('.answer').getByText('Send a code: OTP sent successfully').waitFor();
    await isEmptyAndFocused();
  });

  it('requests a new code in place of an expired one', async () => {
    const page = await open('journey');
    await page.getByLabel('Provoke').selectOption({ value: '0408' });
    await sendCall(page);
    await takeCode(page);
    await sendCall(page);
    await page.getByRole('alert').getByText('SVCUSER2011').waitFor();
    await button(page, 'Send a new code').click();
    await page.locator('.answer').getByText('Send a code: OTP sent successfully').waitFor();
  });

  it('repeats a call after a provider was unavailable', async () => {
    const page = await open('journey');
    await page.getByLabel('Provoke').selectOption({ value: '0503' });
    await sendCall(page);
    const alert = page.getByRole('alert');
    await alert.getByText('SVCUSER2003').waitFor();
    const before = await page.locator('.exchange').count();
    await page.getByRole('button', { name: /^Send it again$/ }).click();
    await page.locator('.exchange').nth(before).waitFor();
    await alert.getByText('SVCUSER2003').waitFor();
  });

  it('polls a pending PAN check until it has a result', async () => {
    const page = await open('journey');
    await logIn(page);
    await sendUpTo(page, 'Verify the PAN');
    await page.getByLabel('Provoke').selectOption({ value: '0202' });
    await sendCall(page);
    await page.locator('.answer').getByText('Verify the PAN: still running').waitFor();
    await page.getByRole('progressbar', { name: 'Waiting for the PAN registry' }).waitFor();
    await eventually(async () =>
      expect(await page.locator('.waiting-line').textContent()).toMatch(/Asked [1-9]/),
    );
    expect(await axeViolations(page)).toEqual([]);
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
    await page.locator('.answer').getByText('PAN status: PAN verified').waitFor();
  });

  it('detects without a click that the person has completed a hosted page', async () => {
    const page = await open('journey?issuer=nilgiri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    await sendCall(page);
    await page.getByRole('progressbar', { name: /on the page of the eKYC provider/ }).waitFor();
    const url = await page.getByRole('link', { name: 'on the hosted page' }).getAttribute('href');
    const hosted = await page.context().newPage();
    await hosted.goto(url!);
    await hosted.getByRole('button', { name: /Verified/ }).click();
    await page.bringToFront();
    await heading(page, 'Verify the email').waitFor();
  });

  it('logs the same person in again once the session is over', async () => {
    const page = await open('journey');
    await logIn(page);
    const person = await page.locator('.person').textContent();
    await reloadWith(page, { token: 'none', refreshToken: 'none' });
    await button(page, 'Log in again').click();
    await heading(page, 'Log in').waitFor();
    expect(await page.locator('.person').textContent()).toBe(person);
    await logIn(page);
  });

  it('calls nothing ready to book once the session is over', async () => {
    const page = await open('journey');
    await logIn(page);
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 60_000 });
    await page.getByRole('region', { name: 'The deposit that would be booked' }).waitFor();
    await reloadWith(page, { token: 'none', refreshToken: 'none' });
    await button(page, 'Log in again').waitFor();
    expect(await heading(page, 'Ready to book').count()).toBe(0);
    expect(await page.locator('.summary').count()).toBe(0);
    await button(page, 'Log in again').click();
    await sendCall(page);
    await takeCode(page);
    await sendCall(page);
    await heading(page, 'Booking check').waitFor();
    await button(page, 'Continue: Booking check').click();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Check');
    await button(page, 'Check').click();
    await page.getByRole('region', { name: 'The deposit that would be booked' }).waitFor();
  });
});

describe('a PAN of two people', () => {
  interface Pan {
    readonly number: string;
    readonly dob: string;
  }

  async function typedPan(page: Page): Promise<Pan> {
    const value = (name: string) => page.getByLabel(name, { exact: true }).inputValue();
    return { number: await value('number'), dob: await value('dob') };
  }

  /** Logs in, and sends the PAN of another person without the steps before it. */
  async function claim(issuer: string, { number, dob }: Pan): Promise<{ page: Page; own: Pan }> {
    const page = await open(`journey?issuer=${issuer}`);
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    const own = await typedPan(page);
    await page.getByLabel('number', { exact: true }).fill(number);
    await page.getByLabel('dob', { exact: true }).fill(dob);
    await sendCall(page);
    await page.getByRole('alert').getByText('SVCUSER1036').waitFor();
    await button(page, 'Continue with the eKYC').click();
    await heading(page, 'eKYC').waitFor();
    expect(await page.evaluate('document.activeElement.className')).toContain('step-panel');
    await sendCall(page);
    await page.getByRole('progressbar', { name: /on the page of the eKYC provider/ }).waitFor();
    await button(page, 'Verified').click();
    expect(await page.evaluate('document.activeElement.className')).toContain('step-panel');
    return { page, own };
  }

  /** Verifies the PAN of a new person, and the eKYC too. */
  async function holder(issuer: string, { withEkyc }: { withEkyc: boolean }): Promise<Pan> {
    const page = await open(`journey?issuer=${issuer}`);
    await logIn(page);
    await sendUpTo(page, 'Verify the PAN');
    const pan = await typedPan(page);
    await sendUpTo(page, 'eKYC');
    if (!withEkyc) return pan;
    await sendCall(page);
    await button(page, 'Verified').click();
    await heading(page, 'Verify the email').waitFor();
    return pan;
  }

  it('moves to the person who completes the eKYC', async () => {
    const { page } = await claim('nilgiri', await holder('nilgiri', { withEkyc: false }));
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
    await page.locator('.step.is-done').getByText('eKYC').waitFor();
  });

  it('stays with the person whose eKYC is complete, after which another PAN leads on', async () => {
    const { page, own } = await claim('nilgiri', await holder('nilgiri', { withEkyc: true }));
    await button(page, 'Verify another PAN').click();
    await heading(page, 'Verify the PAN').waitFor();
    await page.getByLabel('number', { exact: true }).fill(own.number);
    await page.getByLabel('dob', { exact: true }).fill(own.dob);
    await sendCall(page);
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 60_000 });
  });
});
