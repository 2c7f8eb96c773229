import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SERVICES, inEach, objectsOf } from './every-manifest.mjs';
import { find, ofKind } from './manifests.mjs';
import { root } from '../workspace.mjs';

describe('egress of the check of the vendors', () => {
  it("equals the service's egress", () => {
    inEach((objects) => {
      const outside = (name) =>
        find(objects, 'NetworkPolicy', name).spec.egress.filter(({ to }) =>
          to?.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0'),
        );
      assert.equal(outside('users-service').length, 1);
      assert.deepEqual(outside('doctor'), outside('users-service'));
    });
  });

  it('reaches the sandbox in development', () => {
    const objects = objectsOf('development');
    const toSandbox = (name) =>
      find(objects, 'NetworkPolicy', name).spec.egress.filter(({ to }) =>
        to?.some(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/name'] === 'sandbox'),
      );
    assert.equal(toSandbox('doctor').length, 1);
    assert.deepEqual(toSandbox('doctor'), toSandbox('users-service'));
    const [{ from }] = find(objects, 'NetworkPolicy', 'sandbox').spec.ingress;
    const { labels } = find(objects, 'CronJob', 'users-service-doctor').spec.jobTemplate.spec.template
      .metadata;
    const isTaken = ({ podSelector }) =>
      Object.entries(podSelector.matchLabels).every(([name, value]) => labels[name] === value);
    assert.ok(from.some(isTaken));
  });
});

describe('egress to stores and vendors', () => {
  const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];
  const [POSTGRES, PGBOUNCER, REDIS, SENTINEL] = [5432, 6432, 6379, 26379];

  for (const [name, ports] of [
    ['users-service', [POSTGRES, PGBOUNCER, REDIS, SENTINEL]],
    ['master-service', [POSTGRES, PGBOUNCER, REDIS, SENTINEL]],
    ['commands', [POSTGRES, PGBOUNCER]],
    // migrations have other limits than a pooler sets
    ['migrations', [POSTGRES]],
  ])
    it(`leads from ${name} to ports ${ports.join(', ')} of private IPv4 and IPv6 networks`, () => {
      inEach((objects) => {
        const rules = find(objects, 'NetworkPolicy', name).spec.egress.filter(({ to = [] }) =>
          to.some(({ ipBlock }) => ipBlock?.cidr === PRIVATE_NETWORKS[0]),
        );
        assert.equal(rules.length, 1);
        const [rule] = rules;
        assert.deepEqual(
          rule.to.map(({ ipBlock }) => ipBlock.cidr),
          PRIVATE_NETWORKS,
        );
        assert.deepEqual(
          rule.ports.map(({ port }) => port),
          ports,
        );
      });
    });

  it("never leads to a cloud's metadata service instead of a vendor", () => {
    inEach((objects) => {
      for (const name of ['users-service', 'doctor']) {
        const { egress } = find(objects, 'NetworkPolicy', name).spec;
        const { to } = egress.find(({ ports }) => ports.some(({ port }) => port === 443));
        assert.deepEqual(
          to.map(({ ipBlock }) => ipBlock),
          [
            { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] },
            { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'] },
          ],
        );
      }
    });
  });
});

describe('the gateway', () => {
  it('serves the public addresses of the services, over TLS only', () => {
    inEach((objects) => {
      const { listeners } = find(objects, 'Gateway', 'deposits').spec;
      for (const service of SERVICES) {
        const listener = listeners.find(({ name }) => name === service);
        assert.equal(listener.protocol, 'HTTPS');
        const routes = ofKind(objects, 'HTTPRoute').filter(({ metadata }) =>
          metadata.name.startsWith(service),
        );
        for (const { spec: route } of routes) {
          assert.deepEqual(route.hostnames, [listener.hostname]);
          assert.deepEqual(route.parentRefs, [{ name: 'deposits', sectionName: service }]);
          assert.deepEqual(route.rules[0].backendRefs, [{ name: service, port: 80 }]);
        }
        assert.equal(routes.length, service === 'users-service' ? 2 : 1);
      }
      const policies = ofKind(objects, 'BackendTrafficPolicy').map(({ spec }) => spec);
      for (const { rateLimit } of policies)
        assert.deepEqual(
          rateLimit.global.rules.map(({ clientSelectors: [{ sourceCIDR }], limit }) => [
            sourceCIDR.value,
            limit.requests,
          ]),
          [
            ['0.0.0.0/0', 6000],
            ['::/0', 6000],
          ],
        );
      assert.deepEqual(
        policies.flatMap(({ targetRefs }) => targetRefs.map(({ name }) => name)).sort(),
        ofKind(objects, 'HTTPRoute')
          .map(({ metadata }) => metadata.name)
          .filter((name) => name !== 'https-redirect')
          .sort(),
      );
      const [{ hostnames }] = [find(objects, 'HTTPRoute', 'users-service').spec];
      assert.equal(find(objects, 'ConfigMap', 'users-service').data.JWT_ISSUER, `https://${hostnames[0]}`);
      const plain = listeners.filter(({ protocol }) => protocol !== 'HTTPS').map(({ name }) => name);
      assert.deepEqual(plain, ['http']);
      const { rules } = find(objects, 'HTTPRoute', 'https-redirect').spec;
      assert.equal(rules[0].filters[0].requestRedirect.scheme, 'https');
      assert.equal(rules[0].backendRefs, undefined);
    });
  });
});

describe('connections of clients', () => {
  it("are limited in Envoy to HAProxy's number", () => {
    const config = readFileSync(join(root, 'deploy/haproxy/gateway.cfg'), 'utf8');
    const [, limit] = /^ +maxconn (\d+)$/m.exec(config);
    inEach((objects) => {
      const { targetRefs, connection } = find(objects, 'ClientTrafficPolicy', 'deposits').spec;
      assert.deepEqual(
        targetRefs.map(({ kind, name }) => [kind, name]),
        [['Gateway', 'deposits']],
      );
      assert.equal(connection?.connectionLimit.value, Number(limit));
    });
  });
});

describe("Envoy's own answers", () => {
  /** HAProxy's refusals for SERVICE by status: `401 SVCUSER2104` where a status has several codes. */
  function refusalsOf(service) {
    const config = readFileSync(join(root, 'deploy/haproxy/gateway.cfg'), 'utf8');
    const frontend = config.split(/^frontend /m).find((text) => text.includes(`default_backend ${service}`));
    const answers = frontend.matchAll(
      /^ {2}(?:http-error|http-request return) status (\d+) content-type "([^"]+)"(?: hdr (\S+) (\w+))? string '(.*?)'/gm,
    );
    return new Map(
      Array.from(answers, ([, status, contentType, name, value, body]) => [
        status === '401' ? `401 ${JSON.parse(body).error[0].errorCode}` : status,
        { status: Number(status), contentType, header: name && { set: [{ name, value }] }, body },
      ]),
    );
  }
  /** Without the headers that HAProxy sets on all answers. */
  const ofEnvoy = (status, { contentType, header, body }) => {
    assert.equal(body.type, 'Inline');
    const [cache, transport, ...own] = header.set;
    assert.deepEqual(cache, { name: 'cache-control', value: 'no-store' });
    const strict = { name: 'strict-transport-security', value: 'max-age=31536000; includeSubDomains' };
    assert.deepEqual(transport, strict);
    return { status, contentType, header: own.length > 0 ? { set: own } : undefined, body: body.inline };
  };

  it("equal HAProxy's, and replace no answer of a service", () => {
    inEach((objects) => {
      for (const service of SERVICES) {
        const refusals = refusalsOf(service);
        const { responseOverride } = find(objects, 'BackendTrafficPolicy', service).spec;
        // without it answers of the service with these statuses would be replaced too
        assert.deepEqual(new Set(responseOverride.map(({ source }) => source)), new Set(['Local']));
        const answers = responseOverride.map(({ match, response }) =>
          ofEnvoy(match.statusCodes[0].value, response),
        );
        const tokens = service === 'users-service' ? ['401 SVCUSER2104'] : [];
        const expected = [...tokens, '408', '429', '502', '503', '504'].map((key) => refusals.get(key));
        assert.deepEqual(answers, expected);
      }
    });
  });

  it('refuse an unknown call with the 404 of HAProxy and the service', () => {
    inEach((objects) => {
      for (const [service, name] of [
        ['users-service', 'users-service-open'],
        ['master-service', 'master-service'],
      ]) {
        const { matches, filters, backendRefs } = find(objects, 'HTTPRoute', name).spec.rules.at(-1);
        assert.deepEqual([matches, backendRefs], [[{ path: { type: 'PathPrefix', value: '/' } }], undefined]);
        const { kind, name: filter } = filters[0].extensionRef;
        const { statusCode, ...response } = find(objects, kind, filter).spec.directResponse;
        assert.deepEqual(ofEnvoy(statusCode, response), refusalsOf(service).get('404'));
      }
    });
  });
});
