import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import { open, product, useProduct } from '../support/console-page.js';

useProduct();

describe('an unknown issuer in the address', () => {
  it('is named in the journey, which links the known issuers, and Back returns', async () => {
    const page = await open('journey?issuer=kaveri');
    await page.locator('input[value="kaveri"]:checked').waitFor();
    await page.goto(`${product().sandbox}/#/journey?issuer=nobody`);
    const alert = page.getByRole('alert');
    await alert.getByText('There is no issuer “nobody”').waitFor();
    expect(page.url()).toContain('issuer=nobody');
    expect(await page.getByRole('radio').count()).toBe(0);
    expect(await alert.getByRole('link').allTextContents()).toEqual([
      'Aravalli',
      'Kaveri',
      'Nilgiri',
      'Sahyadri',
      'Vindhya',
    ]);
    expect(await axeViolations(page)).toEqual([]);
    await alert.getByRole('link', { name: 'Nilgiri' }).click();
    await page.locator('input[value="nilgiri"]:checked').waitFor();
    expect(await alert.count()).toBe(0);
    await page.goBack();
    await alert.getByText('There is no issuer “nobody”').waitFor();
    await page.goBack();
    await page.locator('input[value="kaveri"]:checked').waitFor();
  });

  it('is named in quotes, which links the known issuers with the same deposit, and Back returns', async () => {
    const page = await open('quotes?issuer=ARAVFIN&tenure=365');
    await page.locator('.headline').waitFor();
    await page.goto(`${product().sandbox}/#/quotes?issuer=NOPE&tenure=365`);
    const alert = page.getByRole('alert');
    await alert.getByText('There is no issuer “NOPE”').waitFor();
    expect(await page.getByRole('heading', { name: 'Quote', exact: true }).count()).toBe(0);
    expect(await page.getByLabel('Issuer', { exact: true }).inputValue()).toBe('NOPE');
    await page.locator('.comparison tbody tr').nth(4).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await alert.getByRole('link', { name: /Kaveri/ }).click();
    await page.locator('.headline').waitFor();
    expect(page.url()).toMatch(/issuer=KAVSFB.*tenure=365/);
    await page.goBack();
    await alert.getByText('There is no issuer “NOPE”').waitFor();
    await page.goBack();
    await eventually(async () =>
      expect(await page.getByLabel('Issuer', { exact: true }).inputValue()).toBe('ARAVFIN'),
    );
  });

  it('is not overwritten by a choice that the page makes before it learns of the new address', async () => {
    const page = await open('journey?issuer=kaveri');
    await page.locator('input[value="kaveri"]:checked').waitFor();
    await page.evaluate(`(() => {
      const hold = (event) => {
        event.stopImmediatePropagation();
        setTimeout(() => dispatchEvent(new HashChangeEvent('hashchange')), 500);
      };
      addEventListener('hashchange', hold, { once: true, capture: true });
      location.hash = '#/journey?issuer=nobody';
      document.querySelector('input[value="nilgiri"]').click();
    })()`);
    await page.getByRole('alert').getByText('There is no issuer “nobody”').waitFor();
    expect(page.url()).toContain('issuer=nobody');
  });

  it('is not replaced by the first issuer on the first visit', async () => {
    const page = await open('journey?issuer=__proto__');
    await page.getByRole('alert').getByText('There is no issuer “__proto__”').waitFor();
    expect(page.url()).toContain('issuer=__proto__');
  });
});
