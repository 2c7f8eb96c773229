import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import { button, heading, logIn, open, useProduct } from '../support/console-page.js';

useProduct();

describe('quotes', () => {
  it('shows payouts and growth in one chart, with the amounts of each date', async () => {
    const page = await open('quotes?issuer=ARAVFIN&tenure=730&payout_frequency=Quarterly');
    await page.getByRole('img', { name: 'Interest paid in 8 payouts' }).waitFor();
    expect(await page.locator('.chart .growth-line').count()).toBe(1);
    const dates = page.getByRole('group', { name: 'Dates of the chart' }).getByRole('button');
    expect(await dates.count()).toBe(8);
    const tip = page.locator('.chart-tip');
    await dates.first().hover();
    expect(await tip.textContent()).toMatch(/^\d+ \w+ \d{4}: ₹[\d,.]+ paid, ₹[\d,.]+ gained so far$/);
    const first = await tip.textContent();
    await dates.first().focus();
    await page.keyboard.press('ArrowRight');
    await eventually(async () => expect(await tip.textContent()).not.toBe(first));
    await page.keyboard.press('End');
    const gain = await page.locator('.headline strong').textContent();
    await eventually(async () => expect(await tip.textContent()).toContain(`${gain} gained so far`));
    expect(await axeViolations(page)).toEqual([]);
  });

  it('shows the growth of a deposit that is paid at maturity', async () => {
    const page = await open('quotes?issuer=ARAVFIN&tenure=730&payout_frequency=Maturity');
    await page.getByRole('img', { name: /grow by .* of interest/ }).waitFor();
    await page.getByRole('group', { name: 'Dates of the chart' }).getByRole('button').first().hover();
    expect(await page.locator('.chart-tip').textContent()).toMatch(/about ₹[\d,.]+ gained so far/);
  });

  it('offers the tenures that the issuer sells as a slider', async () => {
    const page = await open('quotes?issuer=ARAVFIN&tenure=365&payout_frequency=Maturity');
    const slider = page.getByRole('slider', { name: 'Offered tenures' });
    await slider.waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^12 to 17 months, [\d.]+ %$/);
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await eventually(async () => expect(await page.getByLabel('Tenure, days').inputValue()).toBe('546'));
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^18 to 23 months/);
    expect(page.url()).toContain('tenure=546');
  });

  it.each(['', '&women_citizen=true', '&senior_citizen=true', '&women_citizen=true&senior_citizen=true'])(
    'shows the rate of the quote beside the slider (%s)',
    async (person) => {
      const page = await open(`quotes?issuer=ARAVFIN&tenure=730&payout_frequency=Quarterly${person}`);
      const rate = page.locator('dt', { hasText: 'Rate a year' }).locator('+ dd');
      const quoted = (await rate.textContent())!.split(' (')[0]!;
      const slider = page.getByRole('slider', { name: 'Offered tenures' });
      await eventually(async () =>
        expect((await slider.getAttribute('aria-valuetext'))?.split(', ')[1]).toBe(quoted),
      );
    },
  );

  it('compares the issuers on a phone, with every amount named', async () => {
    const page = await open('quotes', { width: 390, height: 844 });
    const row = page.locator('.comparison tbody tr').first();
    await row.waitFor();
    const cells = row.locator('td:visible');
    expect(await cells.count()).toBe(3);
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox();
      expect(box!.x >= 0 && box!.x + box!.width <= 390).toBe(true);
      expect(await cell.getAttribute('data-label')).toBeTruthy();
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('opens the fact sheet of the deposit', async () => {
    const page = await open('quotes?issuer=SAHCAP&tenure=730');
    await page.getByText('Fact sheet: tax, insurance, early withdrawal, nominee').click();
    const sheet = page.locator('.fact-sheet');
    for (const name of ['Tax deducted by the issuer', 'Early withdrawal', 'Insurance', 'Nominee'])
      await sheet.getByRole('heading', { name }).waitFor();
    await sheet.getByText(/DICGC/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('begins the journey with the deposit that was chosen, and ends it with a summary', async () => {
    const page = await open('quotes?issuer=KAVSFB&tenure=730&amount=75000&payout_frequency=Quarterly');
    const gain = await page.locator('.headline strong').textContent();
    await button(page, 'Choose this deposit').click();
    await page.locator('input[value="kaveri"]:checked').waitFor();
    await page.locator('.deposit-line').getByText('₹75,000.00').waitFor();
    await logIn(page);
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 40_000 });
    expect(await page.locator('.exchange').getByText('"tenure": 730').count()).toBeGreaterThan(0);
    const summary = page.getByRole('region', { name: 'The deposit that would be booked' });
    await summary.getByText(gain!).waitFor();
    for (const term of ['Issuer', 'Depositor', 'Amount', 'You gain', 'Matures on', 'Paid to', 'Nominee'])
      await summary.getByText(term, { exact: true }).waitFor();
    expect(await summary.textContent()).toMatch(/Kaveri Small Finance Bank.*₹75,000\.00.*Quarterly/s);
    await page.reload();
    await page.locator('.deposit-line').getByText('₹75,000.00').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});
