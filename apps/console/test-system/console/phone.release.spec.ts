import { eventually } from '@fd/testing';
import type { Locator, Page } from 'playwright-core';
import { button, heading, logIn, open, sendCall, takeCode, useProduct } from '../support/console-page.js';

useProduct();

const PHONE = { width: 390, height: 844 };

/** Waits until an element is visible: all of it, or its beginning if it is higher than the window. */
async function expectInView(part: Locator): Promise<void> {
  await part.waitFor();
  await eventually(async () => {
    const box = (await part.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(Math.min(box.y + box.height, box.y + PHONE.height / 2)).toBeLessThanOrEqual(PHONE.height);
  });
}

describe('the journey on a phone', () => {
  const form = (page: Page, name: string) => page.getByRole('form', { name, exact: true });
  const answer = (page: Page) => page.locator('.answer');
  const toTop = (page: Page) => page.evaluate('scrollTo(0, 0)');

  it('shows the form of the login on the first screen', async () => {
    const page = await open('journey', PHONE);
    await expectInView(page.getByLabel('phone', { exact: true }));
    await expectInView(button(page, 'Send'));
    expect(await page.evaluate('scrollY')).toBe(0);
  });

  it('keeps what is typed when the device is turned', async () => {
    const page = await open('journey', PHONE);
    await page.getByLabel('phone', { exact: true }).fill('9199');
    await page.setViewportSize({ width: 932, height: 430 });
    await page.locator('nav.docs').getByRole('link', { name: 'guide' }).waitFor();
    expect(await page.getByLabel('phone', { exact: true }).inputValue()).toBe('9199');
  });

  it('sends a body that is typed as JSON with one tap', async () => {
    const page = await open('journey', { ...PHONE, hasTouch: true });
    await button(page, 'As JSON').tap();
    const body = page.getByLabel('Body as JSON');
    await body.fill('{"phone":"12"}');
    await button(page, 'Send').tap();
    await expectInView(page.getByRole('alert'));
    expect(await body.inputValue()).toBe('{"phone":"12"}');
    await button(page, 'Refill').tap();
    await eventually(async () =>
      expect(await body.inputValue()).toMatch(/^\{\n {2}"phone": "91\d{10}"\n\}$/),
    );
  });

  it('shows the form of a step once it is opened', async () => {
    const page = await open('journey', PHONE);
    await logIn(page);
    for (const [step, title] of [
      ['Verify the PAN', 'Verify the PAN'],
      ['Link a bank account', 'Link a bank account'],
      ['Name a nominee', 'Name a nominee'],
    ] as const) {
      await toTop(page);
      await button(page, new RegExp(step)).click();
      await expectInView(heading(page, title));
      await expectInView(form(page, title).locator('input').first());
      // the next Tab continues from the step
      expect(await page.evaluate('document.activeElement.className')).toContain('step-panel');
    }
  });

  it('shows each answer: a success, a refusal, a pending result', async () => {
    const page = await open('journey', PHONE);
    await sendCall(page);
    await expectInView(answer(page));
    await takeCode(page);
    await sendCall(page);
    await heading(page, 'Home').waitFor();
    await expectInView(answer(page));
    await button(page, /Verify the PAN/).click();
    await page.getByLabel('number', { exact: true }).fill('12');
    await sendCall(page);
    await expectInView(page.getByRole('alert'));
    await button(page, 'Correct number').click();
    await expectInView(page.getByLabel('number', { exact: true }));
    await button(page, 'Refill').click();
    await page.getByLabel('Provoke').selectOption({ value: '0202' });
    await sendCall(page);
    await answer(page).getByText('still running').waitFor();
    await expectInView(answer(page));
  });

  it('has controls for fingers, in which iOS does not zoom', async () => {
    const page = await open('journey', { ...PHONE, hasTouch: true });
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    await page.getByLabel('number', { exact: true }).fill('12');
    await sendCall(page);
    // with a link inside a text
    await page.getByRole('alert').getByRole('link').waitFor();
    const tooSmall = await page.evaluate(`
      [...document.querySelectorAll('button, select, input:not([type=checkbox], [type=radio]), summary, a:not(.skip)')]
        .filter((one) => one.checkVisibility())
        .filter((one) => one.getBoundingClientRect().height < 40 ||
          (one.matches('select, input') && parseFloat(getComputedStyle(one).fontSize) < 16))
        .map((one) => one.outerHTML.slice(0, 120))
    `);
    expect(tooSmall).toEqual([]);
  });

  it('shows the end of an automatic run', async () => {
    const page = await open('journey', PHONE);
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 40_000 });
    await expectInView(heading(page, 'Ready to book'));
  });

  it('leads from a blocker of the booking to its step', async () => {
    const page = await open('journey', PHONE);
    await logIn(page);
    await button(page, /Name a nominee/).click();
    await button(page, 'As JSON').click();
    const nominee = { name: 'Meera Joshi', relationship: 'SISTER', dob: '1987-03-09', share_percentage: 60 };
    await page.getByLabel('Body as JSON').fill(JSON.stringify({ nominees: [nominee] }));
    await sendCall(page);
    await answer(page).getByText('Nomination registered').waitFor();
    await button(page, 'Complete all steps').click();
    const blockers = page.locator('.blockers');
    await blockers.getByText('must add up to 100').waitFor({ timeout: 40_000 });
    await blockers.getByRole('button', { name: 'Name a nominee' }).click();
    await expectInView(heading(page, 'Name a nominee'));
  });
});
