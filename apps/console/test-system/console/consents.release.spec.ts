import { pressuresOn } from '@fd/browser-testing';
import type { Page } from 'playwright-core';
import { button, heading, open, sendCall, takeCode, useProduct } from '../support/console-page.js';

useProduct();

const PANEL = '.step-panel';

const sendButton = (page: Page) => page.getByRole('button', { name: 'Send', exact: true, disabled: false });

const boxesOf = (page: Page) => page.locator(PANEL).getByRole('form').getByRole('checkbox');

/** Sends a form without agreeing to it: the service refuses each box by name, and the person can leave with one click. */
async function refuse(page: Page): Promise<void> {
  await sendButton(page).click();
  await page.getByRole('alert').waitFor();
  for (const box of await boxesOf(page).all())
    expect([await box.getAttribute('aria-invalid'), await box.isChecked()]).toEqual(['true', false]);
  await page.getByRole('button', { name: 'New person', disabled: false }).waitFor();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await heading(page, 'Inbox').waitFor();
  await page.goBack();
  await boxesOf(page).first().waitFor();
  expect(await pressuresOn(page, PANEL)).toEqual([]);
}

/** Sends each form from the login to the booking check; refuses first what a form asks to agree to. Returns the labels of the boxes. */
async function walk(page: Page): Promise<string[]> {
  const labels: string[] = [];
  const end = heading(page, 'Booking check');
  const allow = button(page, 'Allow');
  const otp = page.getByLabel('otp', { exact: true });
  for (;;) {
    await end.or(allow).or(sendButton(page)).first().waitFor();
    expect(await pressuresOn(page, PANEL)).toEqual([]);
    if (await end.isVisible()) return labels;
    if (await allow.isVisible()) {
      await allow.click();
      await allow.waitFor({ state: 'detached' });
      continue;
    }
    const asked = await boxesOf(page).locator('..').allTextContents();
    labels.push(...asked);
    if (await otp.isVisible()) await takeCode(page);
    if (asked.length > 0) {
      await refuse(page);
      // empty again
      if (await otp.isVisible()) await takeCode(page);
    }
    const before = await page.locator('.exchanges > li').count();
    await sendCall(page);
    await page.locator('.exchanges > li').nth(before).waitFor();
  }
}

describe('consents and declarations', () => {
  const STATEMENTS = [/^The money that I deposit is mine/, /^What I have said about the countries/];

  it.each([
    ['kaveri, with a document locker', 'kaveri', [...STATEMENTS, /^I have read the terms of the deposit/]],
    ['sahyadri, with an Aadhaar code', 'sahyadri', STATEMENTS],
  ])(
    'are not given beforehand in any form, and are refused as easily as given: %s',
    async (_issuer, slug, texts) => {
      const page = await open(`journey?issuer=${slug}`, { hasClock: true });
      const declared = texts.map((text) => expect.stringMatching(text) as string);
      expect(await walk(page)).toEqual(['consent', 'consent_checked', 'consent_checked', ...declared]);
      await button(page, 'Check').click();
      await heading(page, 'Ready to book').waitFor();
      expect(await pressuresOn(page, PANEL)).toEqual([]);
    },
  );

  it('are not given by a refill, which keeps what the person has ticked', async () => {
    const page = await open('journey');
    await sendCall(page);
    const consent = page.getByRole('checkbox', { name: 'consent' });
    await button(page, 'Refill').click();
    expect(await consent.isChecked()).toBe(false);
    await consent.check();
    await page.getByLabel('phone', { exact: true }).fill('12');
    await button(page, 'Refill').click();
    expect(await page.getByLabel('phone', { exact: true }).inputValue()).toMatch(/^91\d{10}$/);
    expect(await consent.isChecked()).toBe(true);
  });

  it('are given by the automatic run, which says so beside its button', async () => {
    const page = await open('journey');
    const hint = await button(page, 'Complete all steps').getAttribute('aria-describedby');
    expect(await page.locator(`#${hint!}`).textContent()).toBe(
      '“Complete all steps” gives all consents and declarations.',
    );
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 40_000 });
  });

  it('meet no countdown but the wait that the service demands after a refusal, during which the person can leave', async () => {
    const page = await open('journey', { hasClock: true });
    const alert = page.getByRole('alert');
    await sendButton(page).click();
    while (!(await alert.isVisible())) {
      await button(page, 'Send a code').click();
      const before = await page.locator('.exchanges > li').count();
      await sendButton(page).click();
      await page.locator('.exchanges > li').nth(before).waitFor();
      await sendButton(page).waitFor();
    }
    await alert.getByRole('button', { name: /^Send it again in \d+ s$/ }).waitFor();
    expect(await pressuresOn(page, PANEL)).toContainEqual(
      expect.stringMatching(/^counts down: Send it again in \d+ s$/),
    );
    await button(page, 'Log in with the code').click();
    expect(await alert.count()).toBe(0);
  });
});
