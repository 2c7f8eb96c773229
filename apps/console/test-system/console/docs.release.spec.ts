import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import { open, product, useProduct } from '../support/console-page.js';

useProduct();

const WIDTHS = [390, 1440] as const;
const THEMES = ['light', 'dark'] as const;

describe('fact sheet', () => {
  it.each(['en', 'hi'])('has nothing for axe to find as a page: %s', async (lang) => {
    const page = await open('/health/live');
    await page.setExtraHTTPHeaders({ apikey: 'sandbox-api-key' });
    const terms = 'tenure=730&investment_amount=100000&payout_frequency=Maturity&product_type=FD';
    await page.goto(
      `${product().masterService.url}/api/v1/fact-sheet/KAVSFB?${terms}&format=html&lang=${lang}`,
    );
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('API reference', () => {
  it.each(['usersService', 'masterService'] as const)(
    'has nothing for axe to find at any width, in any theme: %s',
    async (service) => {
      const page = await open('/health/live');
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 844 });
          await page.goto(`${product()[service].url}/docs`);
          // a call with its request and its answers
          await page.getByText('Show Schema').first().waitFor();
          await eventually(async () =>
            expect([colorScheme, width, await axeViolations(page)]).toEqual([colorScheme, width, []]),
          );
        }
      }
    },
  );
});
