// External services that answer at once: short messages, whose codes it stores, and the PAN registry. GET /codes returns and
// clears { phone: code }.
import { createServer } from 'node:http';

const codes = new Map();

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text && JSON.parse(text);
}

const person = {
  status: 'VALID',
  name: { full: 'ASHA VERMA', first: 'ASHA', middle: null, last: 'VERMA' },
  father_name: 'RAVI VERMA',
  date_of_birth_match: true,
  aadhaar_link: 'LINKED',
};

const answers = {
  'POST /sms': ({ to, text }) => {
    codes.set(to.replace('+', ''), /\d{6}/.exec(text)[0]);
    return [202, { message_id: 'm' }];
  },
  'POST /pan/verifications': () => [200, person],
  'GET /codes': () => {
    const all = Object.fromEntries(codes);
    codes.clear();
    return [200, all];
  },
};

createServer(async (request, response) => {
  const answer = answers[`${request.method} ${request.url}`];
  const [status, payload] = answer ? answer(await bodyOf(request)) : [404, {}];
  const bytes = JSON.stringify(payload);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(bytes),
  });
  response.end(bytes);
}).listen(Number(process.env.PORT), '127.0.0.1');
