import { GENEROUS_LIMITS } from '@fd/testing';
import { button, chooseIssuer, heading, open, useProduct } from './support/console-page.js';

/** One issuer, as every change needs it; the specs of a release walk all of them, and every page. */
describe('journey in a browser', () => {
  // the console repeats no call that a busy machine refuses
  useProduct(GENEROUS_LIMITS);

  it('is ready to book at Sahyadri, which has the most steps', async () => {
    const page = await open('journey');
    await chooseIssuer(page, 'Sahyadri');
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 200_000 });
    // a bank that is busy answers 202, and is asked again
    const statuses = await page.locator('.exchange .chip').allTextContents();
    expect(statuses.filter((status) => !/^20[012]$/.test(status))).toEqual([]);
    expect(await page.locator('.step.is-done').count()).toBe(11);
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('100');
  });
});
