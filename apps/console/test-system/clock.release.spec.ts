import { axeViolations } from '@fd/browser-testing';
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
} from './support/console-page.js';

/** Moves the clock of its product, so it starts a separate one. */
describe('clock of the console', () => {
  useProduct();

  const strip = (page: Page) => page.getByRole('region', { name: /^Sandbox clock/ });
  const life = (page: Page, what: string) => strip(page).getByRole('listitem').filter({ hasText: what });

  /** Moves the clock by a button and waits until the strip shows it. */
  async function move(page: Page, name: RegExp): Promise<void> {
    const title = strip(page).getByRole('heading');
    const before = await title.textContent();
    await button(page, name).click();
    await eventually(async () => expect(await title.textContent()).not.toBe(before));
  }

  it('lets a login code expire, after which a new one logs in', async () => {
    const page = await open('journey');
    await strip(page).getByText('Nothing of this journey can expire yet.').waitFor();
    await sendCall(page);
    await takeCode(page);
    expect(await life(page, 'Login code').textContent()).toMatch(/Login code (9 min \d+ s|10 min)/);
    await move(page, /^10 minutes/);
    expect(await life(page, 'Login code').textContent()).toBe('Login code expired send a new code');
    await sendCall(page);
    await page.getByRole('alert').getByText('SVCUSER2011').waitFor();
    await button(page, 'Send a new code').click();
    await page.locator('.answer').getByText('Send a code: OTP sent successfully').waitFor();
    await takeCode(page);
    await sendCall(page);
    await heading(page, 'Home').waitFor();
    expect(await life(page, 'Login code').count()).toBe(0);
  });

  it('lets an eKYC link expire, after which the next one is used', async () => {
    const page = await open('journey?issuer=nilgiri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    await sendCall(page);
    await life(page, 'eKYC link')
      .getByText(/^29 min/)
      .waitFor();
    await move(page, /^30 minutes/);
    // the console asks by itself
    await page.getByRole('alert').getByText('The eKYC expired').waitFor();
    await life(page, 'eKYC link')
      .getByText(/^29 min/)
      .waitFor();
    await button(page, 'Verified').click();
    await heading(page, 'Verify the email').waitFor();
    expect(await life(page, 'eKYC link').count()).toBe(0);
  });

  it('lets the access token expire, which the next call renews', async () => {
    const page = await open('journey');
    await logIn(page);
    await life(page, 'Access token')
      .getByText(/^14 min/)
      .waitFor();
    await move(page, /^16 minutes/);
    await life(page, 'Access token').getByText('expired').waitFor();
    await button(page, /Verify the PAN/).click();
    await sendCall(page);
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
    await page.getByLabel('with the console’s own').check();
    await page.getByText('New tokens', { exact: true }).waitFor();
    await life(page, 'Access token')
      .getByText(/^14 min/)
      .waitFor();
    await life(page, 'Session')
      .getByText(/^6 days 23 h/)
      .waitFor();
  });

  it('lets the session end, after which a new login completes the whole journey', async () => {
    const page = await open('journey');
    await logIn(page);
    await move(page, /^8 days/);
    await life(page, 'Session').getByText('expired').waitFor();
    await button(page, /Verify the PAN/).click();
    await sendCall(page);
    await button(page, 'Log in again').click();
    await heading(page, 'Log in').waitFor();
    await logIn(page);
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 40_000 });
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page
      .locator('.card')
      .first()
      .getByText(/just now|seconds? ago/)
      .waitFor();
  });

  it.each([
    ['light', 390],
    ['dark', 390],
    ['light', 1440],
    ['dark', 1440],
  ] as const)('can be read and used with the keyboard: %s, %d px wide', async (colorScheme, width) => {
    const page = await open('journey', { width, height: 844 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await logIn(page);
    // closed on a phone, where it is above the form
    if (width === 390) await strip(page).locator('summary').press('Enter');
    await strip(page).getByText('users-service and the providers use it.').waitFor();
    const before = await strip(page).getByRole('heading').textContent();
    await button(page, /^10 minutes/).focus();
    await page.keyboard.press('Enter');
    await eventually(async () =>
      expect(await strip(page).getByRole('heading').textContent()).not.toBe(before),
    );
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^10 minutes/);
    await page
      .getByRole('status')
      .getByText(/The sandbox clock is .* ahead/)
      .waitFor({ state: 'attached' });
    await life(page, 'Access token')
      .getByText(/^4 min/)
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });
});
