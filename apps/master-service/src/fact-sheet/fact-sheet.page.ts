import type {
  FactSheet,
  FactSheetInsurance,
  FactSheetLanguage,
  FactSheetNomination,
  FactSheetRule,
  FactSheetTax,
  FactSheetWithdrawal,
} from '@fd/contracts';
import { FACT_SHEET_TEXTS, type FactSheetTexts, rupeesText } from './fact-sheet.texts.js';

type Words = FactSheetTexts['page'];

/** The fact sheet as a page for screen, phone and paper, with the contents of the JSON. */
export function factSheetPage(sheet: FactSheet): string {
  const { page: words } = FACT_SHEET_TEXTS[sheet.lang];
  const { issuer } = sheet;
  return `<!DOCTYPE html>
<html lang="${sheet.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${words.title}: ${issuer.name}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<p class="tag">${escaped(words.estimateTag)}</p>
<h1>${escaped(words.title)}</h1>
<p class="issuer">${escaped(issuer.name)} · ${escaped(words.issuerTypes[issuer.issuer_type])} · ${escaped(issuer.f_code)}</p>
<p class="note">${escaped(sheet.estimate_text)}</p>
</header>
${depositSection(sheet, words)}
${payoutSection(sheet, words)}
${taxSection(sheet.tax, words)}
${insuranceSection(sheet.insurance, words)}
${withdrawalSection(sheet.premature_withdrawal, words, sheet.lang)}
${nominationSection(sheet.nomination, words)}
${lawSection(sheet, words)}
<footer><p>${escaped(words.hash)}</p><p><code>${sheet.hash}</code></p></footer>
</main>
</body>
</html>
`;
}

function depositSection({ deposit, lang }: FactSheet, words: Words): string {
  const rows: [string, string][] = [
    [words.amount, rupeesText(deposit.amount)],
    [words.rate, `${deposit.product_interest} % ${words.perYear}`],
    [words.interest, rupeesText(deposit.interest_amount)],
    [words.maturityAmount, rupeesText(deposit.maturity_amount)],
    [words.yield, `${deposit.average_yield} % ${words.perYear}`],
    [words.payout, words.frequencies[deposit.payout_frequency]],
    [words.starts, dateText(deposit.start_date, lang)],
    [words.matures, dateText(deposit.maturity_date_ist, lang)],
    [words.tenure, `${deposit.tenure} ${words.days}`],
  ];
  if (deposit.senior_citizen) rows.push([words.seniorRate, words.yes]);
  if (deposit.women_citizen) rows.push([words.womenRate, words.yes]);
  if (deposit.tax_saver) rows.push([words.taxSaver, words.yes]);
  return section(words.deposit, `${facts(rows)}<p class="note">${escaped(deposit.holiday_text)}</p>`);
}

function payoutSection({ deposit, lang }: FactSheet, words: Words): string {
  const items = deposit.payout
    .flatMap(({ data }) => data)
    .map(
      ({ date, amount }) =>
        `<li><time datetime="${date}">${dateText(date, lang)}</time> <b>${rupeesText(amount)}</b></li>`,
    );
  return section(words.payouts, `<ol class="payouts">${items.join('')}</ol>`);
}

function taxSection(tax: FactSheetTax, words: Words): string {
  const rows = tax.years.map(({ label, interest, rate, tds, is_law_projected: isProjected }) => [
    `${escaped(label)}${isProjected ? ` <small>${escaped(words.lawOfToday)}</small>` : ''}`,
    rupeesText(interest),
    `${rate} %`,
    rupeesText(tds),
  ]);
  const head = [words.year, words.interest, words.rateAfter, words.tds];
  const texts = [...new Set(tax.years.map(({ text }) => text))].map((text) => {
    const years = tax.years.filter((year) => year.text === text).map((year) => year.financial_year);
    return `<p><b>${years.join(', ')}</b>: ${escaped(text)}</p>`;
  });
  return section(
    words.tax,
    `${table(head, rows)}
<p class="total">${escaped(words.totalTds)}: <b>${rupeesText(tax.total_tds)}</b></p>
${texts.join('')}
<h3>${escaped(words.takenForGranted)}</h3>
<ul>${tax.assumptions.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`,
  );
}

function insuranceSection(insurance: FactSheetInsurance, words: Words): string {
  const amounts = insurance.is_insured
    ? facts([
        [words.covered, rupeesText(insurance.covered)],
        [words.notCovered, rupeesText(insurance.not_covered)],
      ])
    : '';
  return section(words.insurance, `<p>${escaped(insurance.text)}</p>${amounts}`);
}

function withdrawalSection(withdrawal: FactSheetWithdrawal, words: Words, lang: FactSheetLanguage): string {
  const steps = withdrawal.steps.map(({ from, text }) => [dateText(from, lang), escaped(text)]);
  const examples = withdrawal.examples.map((example) => [
    `${dateText(example.date, lang)} <small>${example.held_days} ${escaped(words.days)}</small>`,
    `${example.rate} %`,
    rupeesText(example.interest),
    rupeesText(example.paid_before),
    rupeesText(example.amount),
  ]);
  const head = [words.date, words.rateAfter, words.interest, words.paidBefore, words.youGet];
  const source = withdrawal.source ? `<p><small>${escaped(withdrawal.source)}</small></p>` : '';
  return section(
    words.withdrawal,
    `<p>${escaped(withdrawal.text)}</p>
${steps.length > 0 ? table([words.from, words.terms], steps, 'words') : ''}
${examples.length > 0 ? table(head, examples) : ''}
${source}<p class="note">${escaped(withdrawal.law_text)}</p>`,
  );
}

function nominationSection({ text, kinds }: FactSheetNomination, words: Words): string {
  const list = kinds.map((kind) => `<li>${escaped(words.kinds[kind])}</li>`).join('');
  return section(words.nomination, `<p>${escaped(text)}</p>${list && `<ul>${list}</ul>`}`);
}

function lawSection(sheet: FactSheet, words: Words): string {
  const rules = [
    ...sheet.tax.years.map(({ rule }) => rule),
    sheet.insurance.rule,
    sheet.premature_withdrawal.rule,
    sheet.nomination.rule,
  ];
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const item = ({ law, section: place, from }: FactSheetRule): string => {
    // a circular or direction has a date instead of a number
    const where = /^[0-9]/.test(place) ? `${words.section} ${place}` : place;
    return `<li>${escaped(`${law}, ${where}; ${words.since}`)} ${dateText(from, sheet.lang)}</li>`;
  };
  return section(words.law, `<ul class="law">${[...byId.values()].map(item).join('')}</ul>`);
}

const section = (title: string, html: string): string =>
  `<section><h2>${escaped(title)}</h2>${html}</section>`;

const facts = (rows: readonly (readonly [string, string])[]): string =>
  `<dl>${rows.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>`;

/** @param rows HTML of the cells */
function table(head: readonly string[], rows: readonly (readonly string[])[], kind = 'figures'): string {
  const headings = head.map((text) => `<th scope="col">${escaped(text)}</th>`).join('');
  const body = rows.map((cells) => {
    const labelled = cells.map(
      (cell, at) => `<td data-label="${escaped(head[at] ?? '')}"><span>${cell}</span></td>`,
    );
    return `<tr>${labelled.join('')}</tr>`;
  });
  return `<table class="${kind}"><thead><tr>${headings}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}

const DATES: Readonly<Record<FactSheetLanguage, Intl.DateTimeFormat>> = {
  en: dateFormat('en-GB'),
  hi: dateFormat('hi-IN'),
};

function dateFormat(locale: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    numberingSystem: 'latn',
    timeZone: 'UTC',
  });
}

const dateText = (day: string, lang: FactSheetLanguage): string =>
  DATES[lang].format(new Date(`${day}T00:00:00Z`));

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const STYLE = `
:root { color-scheme: light; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --tint: #f3f6f9; --mark: #7a4b00; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--tint); color: var(--ink);
  font: 16px/1.5 system-ui, "Noto Sans", "Noto Sans Devanagari", sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 2rem; background: #fff; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 0 0 .5rem; font-size: 1.125rem; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; }
p { margin: .25rem 0; }
ul { margin: .25rem 0; padding-left: 1.25rem; }
small, .note, footer { color: var(--soft); font-size: .875rem; }
section { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.tag { display: inline-block; margin: 0 0 .5rem; padding: .125rem .625rem; border: 1px solid currentColor; border-radius: 1rem;
  color: var(--mark); font-size: .875rem; font-weight: 600; }
.issuer { font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .75rem 1.5rem; margin: .5rem 0; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; font-weight: 600; }
.payouts { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 0 2rem; margin: 0; padding: 0;
  list-style: none; }
.payouts li { display: flex; justify-content: space-between; gap: 1rem; padding: .125rem 0; border-bottom: 1px solid var(--tint); }
table { width: 100%; margin: .5rem 0; border-collapse: collapse; }
th, td { padding: .375rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-size: .875rem; font-weight: 600; }
td small { display: block; }
.figures th:not(:first-child), .figures td:not(:first-child) { text-align: right; }
.figures, .payouts { font-variant-numeric: tabular-nums; }
.words td:first-child { white-space: nowrap; }
.total { text-align: right; }
.law { font-size: .875rem; }
footer { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
code { overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  main { padding: 1rem; }
  dl { grid-template-columns: 1fr 1fr; gap: .75rem 1rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td, .figures td:not(:first-child) { display: flex; justify-content: space-between; gap: 1rem; padding: .125rem 0; border: 0;
    text-align: right; }
  td::before { content: attr(data-label); color: var(--soft); text-align: left; }
  .words td:last-child { display: block; text-align: left; }
  .words td:last-child::before { content: none; }
}
@media print {
  @page { size: A4; margin: 12mm; }
  :root { font-size: 9pt; }
  body { background: none; font-size: 1rem; line-height: 1.35; }
  main { max-width: none; padding: 0; }
  h1 { font-size: 16pt; }
  h2 { font-size: 11pt; }
  section { margin-top: 6pt; padding-top: 4pt; }
  th, td { padding: 2pt 4pt; }
  dl { gap: 4pt 16pt; }
  h2 { break-after: avoid; }
  tr, li, dl > div, header, footer { break-inside: avoid; }
}
`;
