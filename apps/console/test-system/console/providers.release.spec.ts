import { axeViolations } from '@fd/browser-testing';
import type { Page } from 'playwright-core';
import {
  button,
  chooseIssuer,
  logIn,
  open,
  sendCall,
  sendUpTo,
  useProduct,
} from '../support/console-page.js';

useProduct();

/** Brings a new person to the page of a provider, and opens it. */
async function hostedPage(issuer: string, method: RegExp): Promise<Page> {
  const page = await open('journey');
  await chooseIssuer(page, issuer);
  await logIn(page);
  await sendUpTo(page, 'eKYC');
  await sendCall(page);
  if (method.test('Open the document locker')) await sendCall(page);
  const url = await openUrl(page, method);
  const hosted = await page.context().newPage();
  await hosted.goto(url);
  return hosted;
}

async function openUrl(page: Page, method: RegExp): Promise<string> {
  const link = page.getByRole('link', { name: 'on the hosted page' });
  if (!method.test('Aadhaar')) return (await link.getAttribute('href'))!;
  const newest = page.locator('.exchange').first();
  await newest.getByText('"ekyc_url"').waitFor();
  const body = await newest.textContent();
  return /"ekyc_url": "([^"]+)"/.exec(body!)![1]!;
}

describe('pages of providers', () => {
  it.each([
    ['Nilgiri', /Hosted/, 'Seen & Signed', 'Verify your identity', 'Checks', 'Verified'],
    [
      'Sahyadri',
      /Aadhaar/,
      'Aadhaar consent desk',
      'Consent to an Aadhaar eKYC',
      'What you agree to',
      'Verified',
    ],
    [
      'Kaveri',
      /Open the document locker/,
      'PaperSafe',
      'Share your documents',
      'Requested documents',
      'Allow',
    ],
  ])(
    'have a distinct design and work with mouse, keyboard and phone: %s',
    async (issuer, method, ...texts) => {
      const [company, title, points, usual] = texts;
      const hosted = await hostedPage(issuer, method);
      await hosted.getByRole('banner').getByText(company).waitFor();
      await hosted.getByRole('heading', { name: title }).waitFor();
      await hosted.getByRole('heading', { name: points }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await hosted.emulateMedia({ colorScheme });
        expect([colorScheme, await axeViolations(hosted)]).toEqual([colorScheme, []]);
      }
      await hosted.setViewportSize({ width: 390, height: 844 });
      expect(await hosted.evaluate('document.documentElement.scrollWidth')).toBe(390);
      await hosted.keyboard.press('Tab');
      expect(await hosted.evaluate('document.activeElement.textContent')).toContain(usual);
      await hosted.keyboard.press('Enter');
      await button(hosted, new RegExp(usual)).waitFor({ state: 'detached' });
    },
  );
});
