import { axeViolations } from '@fd/browser-testing';
import { button, chooseIssuer, heading, logIn, open, sendUpTo, useProduct } from '../support/console-page.js';

useProduct();

describe('test people', () => {
  it('lists the progress of each person and resumes it, even after a reload', async () => {
    const page = await open('journey?issuer=kaveri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    const person = await page.locator('.person').textContent();
    await button(page, 'New person').click();
    await heading(page, 'Log in').waitFor();
    await page.reload();
    await page.getByText('Other test people (1)').click();
    const listed = page.getByRole('list', { name: 'Other test people' });
    expect(await listed.textContent()).toMatch(/^\+91 \d{5} \d{5}, Kaveri: \d+ %, next EKYC/);
    expect(await axeViolations(page)).toEqual([]);
    await listed.getByRole('button', { name: /^Continue with/ }).press('Enter');
    await heading(page, 'eKYC').waitFor();
    expect(await page.locator('.person').textContent()).toBe(person);
  });

  it('shows declarations and options as words', async () => {
    const page = await open('journey');
    await chooseIssuer(page, 'Nilgiri');
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 40_000 });
    await button(page, /Personal details/).click();
    const accepted = page.getByRole('checkbox', { name: /^The money that I deposit is mine/ });
    expect(await accepted.isChecked()).toBe(true);
    const options = await page.getByLabel('Occupation').locator('option').allTextContents();
    expect(options).toContain('Government service');
    await accepted.press(' ');
    expect(await accepted.isChecked()).toBe(false);
    expect(await axeViolations(page)).toEqual([]);
    await button(page, 'As JSON').click();
    const body = await page.getByLabel('Body as JSON').inputValue();
    expect((JSON.parse(body) as { declarations: unknown }).declarations).toEqual([]);
  });
});
