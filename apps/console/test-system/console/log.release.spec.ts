import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import { button, logIn, open, sendCall, useProduct } from '../support/console-page.js';

useProduct();

describe('the log', () => {
  it('shows each call as curl, fetch and client, and copies it with its token', async () => {
    const page = await open('journey');
    await logIn(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const newest = page.locator('.exchange').first();
    await newest.getByRole('button', { name: 'client', exact: true }).click();
    expect(await newest.locator('.call-code pre').textContent()).toContain('client.session.logIn({');
    await newest.getByRole('button', { name: 'fetch', exact: true }).click();
    expect(await newest.locator('.call-code pre').textContent()).toContain('await fetch(');
    await newest.getByRole('button', { name: 'curl', exact: true }).click();
    await newest.getByRole('button', { name: /^Copy curl/ }).click();
    await newest.getByText('Copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toMatch(/^curl -i 'http.*idempotency-key: [0-9a-f]{32}'/s);
    for (const name of [/^Copy body/, /^Copy answer/, /^Copy Request id/, /^Copy Idempotency-Key/])
      await newest.getByRole('button', { name }).waitFor();
    await page.getByRole('button', { name: /: copy PAN$/ }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^[A-Z]{5}\d{4}[A-Z]$/);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('is empty before the first call, and says when a search hides the calls', async () => {
    const page = await open('journey');
    await button(page, 'Send').waitFor();
    await page.getByText('No calls yet').waitFor();
    await sendCall(page);
    await page.locator('.exchange').first().waitFor();
    await page.getByLabel('Search the log').fill('no such call');
    await page.getByText('No matching calls').waitFor();
  });

  it('repeats a call under its key, and says that the answer is the first one', async () => {
    const page = await open('journey');
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    const key = await page.getByLabel('Idempotency-Key', { exact: true }).inputValue();
    await sendCall(page);
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
    const verified = page.locator('.exchange').filter({ hasText: '"pan_status"' });
    expect(await verified.first().textContent()).toContain(key);
    await verified
      .first()
      .getByRole('button', { name: /^Repeat with the same key/ })
      .click();
    await page.locator('.exchange').first().getByText('the first answer, replayed').waitFor();
    expect(await page.locator('.exchange').first().textContent()).toContain(key);
    await page.reload();
    await page.locator('.exchange').first().getByText('the first answer, replayed').waitFor();
  });

  it('accepts a typed key and repeats it with other values', async () => {
    const page = await open('journey');
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    const sendWith = async (pan: string): Promise<void> => {
      await page.getByLabel('Idempotency-Key', { exact: true }).fill('my-own-key');
      await page.getByLabel('number', { exact: true }).fill(pan);
      await sendCall(page);
    };
    await sendWith('ABC');
    await page.locator('.exchange .copied-value').getByText('my-own-key').waitFor();
    await page.getByRole('alert').getByText('SVCUSER2202').waitFor();
    await sendWith('ABCD');
    await page.getByRole('alert').getByText('SVCUSER2912').waitFor();
  });

  it('stays beside the form, and below it on a phone', async () => {
    const page = await open('journey', { width: 1440, height: 700 });
    await logIn(page);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await eventually(async () => {
      const log = await page.locator('.journey-log').boundingBox();
      // over the middle of the window, to the right
      expect([log!.x > 700, log!.y < 350, log!.y + log!.height > 350]).toEqual([true, true, true]);
    });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
