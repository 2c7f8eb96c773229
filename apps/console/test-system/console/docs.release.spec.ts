import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import { open, product, useProduct } from '../support/console-page.js';

useProduct();

const WIDTHS = [390, 1440] as const;
const THEMES = ['light', 'dark'] as const;

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
