import { axeViolations } from '@fd/browser-testing';
import type { Locator, Page } from 'playwright-core';
import { heading, open, product, useProduct } from '../support/console-page.js';

useProduct();

const KEY = 'live-key-of-msg91';

/** A message through MSG91 whose code finds it in the list. */
async function sendFlow(code: string): Promise<void> {
  const sent = await fetch(`${product().sandbox}/vendors/msg91/api/v5/flow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authkey: KEY },
    body: JSON.stringify({ template_id: 'f1', recipients: [{ mobiles: '919812345678', code }] }),
  });
  expect(sent.status).toBe(200);
}

async function callWithoutKey(): Promise<void> {
  await fetch(`${product().sandbox}/vendors/setu/api/verify/pan`, { method: 'POST' });
}

describe('calls to providers', () => {
  const cards = (page: Page): Locator => page.locator('.wire > .exchange');

  it('shows new calls, and their bodies without the credentials', async () => {
    const page = await open('wire?q=100001');
    await page.getByText('No calls').waitFor();
    await sendFlow('100001');
    const card = cards(page).filter({ hasText: '/vendors/msg91/api/v5/flow' });
    await card.getByText('200').waitFor();
    expect(await card.getByText('"template_id"').count()).toBe(0);
    await card.locator('summary').click();
    const request = card.getByRole('region', { name: /^Request body: msg91/ });
    expect(await request.textContent()).toContain('"mobiles": "919812345678"');
    const answer = card.getByRole('region', { name: /^Answer body: msg91/ });
    expect(await answer.textContent()).toContain('"type": "success"');
    const text = await card.textContent();
    expect(text).toMatch(/authkey\*\*\*/);
    expect(text).not.toContain(KEY);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await card.getByRole('button', { name: /^Copy request: msg91/ }).click();
    await card.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"code":"100001"');
  });

  it('finds calls by provider and by search, keeps both in the address, and marks failures', async () => {
    await sendFlow('100002');
    await callWithoutKey();
    const page = await open('wire');
    await page.getByLabel('Provider or issuer').selectOption('setu');
    const refused = cards(page).filter({ hasText: '/vendors/setu/api/verify/pan' }).first();
    await refused.getByText('401').waitFor();
    expect(await refused.getAttribute('class')).toContain('is-bad');
    expect(new Set(await page.locator('.wire .exchange-title').allTextContents())).toEqual(new Set(['setu']));
    await page.getByLabel('Search', { exact: true }).fill('100002');
    await page.getByText('No call matches this search.').waitFor();
    await page.getByLabel('Provider or issuer').selectOption('');
    await cards(page).getByText('msg91', { exact: true }).waitFor();
    expect(await cards(page).count()).toBe(1);
    await page.reload();
    await cards(page).getByText('msg91', { exact: true }).waitFor();
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe('100002');
  });

  it('opens a call with the keyboard', async () => {
    await sendFlow('100003');
    const page = await open('wire?q=100003');
    await cards(page).first().waitFor();
    await page.getByLabel('Search', { exact: true }).focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.localName')).toBe('summary');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    await heading(page, 'Answer').waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Answer').waitFor({ state: 'detached' });
  });

  it.each([390, 1440])('has no violation of axe and is readable with open calls: %s px', async (width) => {
    await sendFlow('100004');
    await callWithoutKey();
    const page = await open('wire', { width, height: 844 });
    for (const provider of ['msg91', 'setu'])
      await cards(page).filter({ hasText: provider }).first().locator('summary').click();
    await page.getByRole('region', { name: /^Answer body: setu/ }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect([colorScheme, await axeViolations(page)]).toEqual([colorScheme, []]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    for (const part of await page.locator('.wire summary > *').all()) {
      const box = await part.boundingBox();
      expect(box!.x >= 0 && box!.x + box!.width <= width).toBe(true);
    }
  });
});
