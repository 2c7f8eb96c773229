import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
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
    expect(await page.evaluate('document.activeElement.id')).toBe('field-phone');
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
});
