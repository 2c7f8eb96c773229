import { eventually, expectRefusal } from '@fd/testing';
import { as, logIn } from './support/login.js';
import { postPan } from './support/pan.js';
import { BEHAVIOURS, ScriptedProvider } from './support/scripted-provider.js';
import { startService, type TestService } from './support/users-app.js';

let service: TestService;
let provider: ScriptedProvider;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await startService({ PAN_REGISTRY_URL: new URL(provider.url).origin });
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

describe('a party that hangs while many users wait for it', () => {
  it('costs them their call, each with its code in time, and nobody else anything', async () => {
    provider.behaviour = BEHAVIOURS.hangs;
    const [other, ...users] = await Promise.all(Array.from({ length: 31 }, () => logIn(service)));
    const order: string[] = [];
    const waiting = users.map(async (user) => {
      const answer = await postPan(as(service.api, user));
      order.push('waiting');
      return answer;
    });
    await eventually(() => expect(provider.calls.length).toBeGreaterThan(5));
    const profile = await as(service.api, other!).get('/api/v1/user-profile');
    order.push('other');
    const answers = await Promise.all(waiting);
    expect(profile.status).toBe(200);
    expect(order[0]).toBe('other');
    for (const answer of answers) expectRefusal(answer, 'SVCUSER2208');
    // it was asked by no more than are let through at once
    expect(provider.calls.length).toBeLessThanOrEqual(31);
  });

  it('is left alone then, which the metrics tell, and used again once it is well', async () => {
    const metrics = async () => (await service.api.get('/metrics')).text;
    await eventually(async () => {
      await postPan(as(service.api, await logIn(service)));
      expect(await metrics()).toMatch(/provider_circuit_open\{provider="pan-registry"\} 1/);
    });
    const asked = provider.calls.length;
    expectRefusal(await postPan(as(service.api, await logIn(service))), 'SVCUSER2208');
    expect(provider.calls).toHaveLength(asked);
    provider.behaviour = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          reference: 'r-1',
          status: 'VALID',
          name: { full: 'ASHA RAO', first: 'ASHA', middle: null, last: 'RAO' },
          father_name: 'RAVI RAO',
          date_of_birth_match: true,
          aadhaar_link: 'LINKED',
        }),
      );
    await eventually(async () => {
      expect((await postPan(as(service.api, await logIn(service)))).status).toBe(200);
    });
    expect(await metrics()).toMatch(/provider_circuit_open\{provider="pan-registry"\} 0/);
  });
});
