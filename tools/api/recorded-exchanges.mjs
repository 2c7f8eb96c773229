// Writes the recorded exchanges into the pages for integrators, so that they are complete without the documentation site.
import { curlOf, exchangeOf } from '../../guide/api-pages.mjs';
import { operationsOf } from './openapi-documents.mjs';

/** `<!-- example: CALL WHICH -->`, by status or error code, and the exchange that was written below it. */
const EXAMPLE = /<!-- example: (\w+ \S+) (\w+) -->\n(?:[^]*?<!-- end of example -->\n)?/g;

/** Markdown TEXT with each exchange that it names, as a command and the answer. DOCUMENTS and EXAMPLES by service. */
export const withExchanges = (text, documents, examples) =>
  text.replace(EXAMPLE, (_, call, which) => {
    const { service, exchange } = exchangeOf(examples, call, which);
    const { operation } = operationsOf(documents[service]).find((one) => one.call === exchange.call);
    return [
      `<!-- example: ${call} ${which} -->`,
      `\`\`\`sh\n${curlOf(service, operation, exchange)}\n\`\`\``,
      `Answer, HTTP ${exchange.status}:`,
      `\`\`\`json\n${JSON.stringify(exchange.answered, null, 2)}\n\`\`\``,
      '<!-- end of example -->\n',
    ].join('\n\n');
  });
