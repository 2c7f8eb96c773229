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

  it('lists a person at each issuer with the progress there', async () => {
    const page = await open('journey?issuer=kaveri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    await chooseIssuer(page, 'Sahyadri');
    await heading(page, 'Choose a deposit').or(heading(page, 'Open a lead')).waitFor();
    await button(page, 'New person').click();
    await heading(page, 'Log in').waitFor();
    await page.getByText('Other test people (1)').click();
    const listed = page.getByRole('list', { name: 'Other test people' });
    expect(await listed.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^\+91 \d{5} \d{5}, Sahyadri: \d+ %, next LEAD/),
      expect.stringMatching(/^\+91 \d{5} \d{5}, Kaveri: \d+ %, next EKYC/),
    ]);
    await listed.getByRole('button', { name: /^Continue with .*, Kaveri$/ }).press('Enter');
    await heading(page, 'eKYC').waitFor();
    await page.locator('input[value="kaveri"]:checked').waitFor();
    expect(await page.evaluate('document.activeElement.className')).toContain('step-panel');
  });

  it('shows declarations and options as words', async () => {
    const page = await open('journey');
    await chooseIssuer(page, 'Nilgiri');
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 40_000 });
    await button(page, /Personal details/).click();
    const accepted = page.getByRole('checkbox', { name: /^The money that I deposit is mine/ });
    expect(await accepted.isChecked()).toBe(false);
    const options = await page.getByLabel('Occupation').locator('option').allTextContents();
    expect(options).toContain('Government service');
    await accepted.press(' ');
    expect(await accepted.isChecked()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await button(page, 'As JSON').click();
    const body = await page.getByLabel('Body as JSON').inputValue();
    expect((JSON.parse(body) as { declarations: unknown }).declarations).toEqual([
      { code: 'OWN_FUNDS', version: expect.any(String) as string, accepted: true },
    ]);
  });
});
