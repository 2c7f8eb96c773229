import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { SERVICES, all, inEach, nameOf } from './every-manifest.mjs';
import { find, podTemplates } from './manifests.mjs';
import { root } from '../workspace.mjs';

describe('a migration', () => {
  it('runs the image of its release before the service does', () => {
    inEach((objects, environment) => {
      for (const service of SERVICES) {
        const { metadata, spec } = find(all[environment].migrations, 'Job', `${service}-migrate`);
        const [container] = spec.template.spec.containers;
        assert.deepEqual(container.command, ['node', 'dist/cli.js', 'migrate']);
        const deployed = find(objects, 'Deployment', service).spec.template.spec.containers[0];
        assert.equal(container.image, deployed.image);
        assert.equal(metadata.annotations['argocd.argoproj.io/hook'], 'PreSync');
        // the image sets NODE_ENV=production
        const mode = environment === 'development' ? [['NODE_ENV', 'development']] : [];
        assert.deepEqual(
          container.env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom.secretKeyRef.name]),
          [
            ['MIGRATIONS_DATABASE_URL', `${service}-migrations`],
            ['SERVICE_DATABASE_ROLE', service.replace('-', '_')],
            ...mode,
          ],
        );
      }
    });
  });
});

describe("an operator's command", () => {
  it('runs the image of its release once, with the keys that commands need', () => {
    inEach((objects, environment) => {
      const { spec } = find(all[environment].operator, 'Job', 'users-service-operator');
      const [container] = spec.template.spec.containers;
      assert.deepEqual(container.command, ['node', 'dist/cli.js']);
      const deployed = find(objects, 'Deployment', 'users-service').spec.template.spec.containers[0];
      assert.equal(container.image, deployed.image);
      assert.equal(spec.backoffLimit, 0);
      assert.deepEqual(
        container.env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom.secretKeyRef.name]),
        [
          ...['DATABASE_URL', 'PII_KEYS', 'INDEX_SECRET', 'AUDIT_KEYS'].map((name) => [
            name,
            'users-service',
          ]),
          // the image sets NODE_ENV=production
          ...(environment === 'development' ? [['NODE_ENV', 'development']] : []),
        ],
      );
    });
  });
});

describe('the check of the vendors', () => {
  it('has the image, settings and secrets of the service, and never runs by itself', () => {
    inEach((objects) => {
      const { spec } = find(objects, 'CronJob', 'users-service-doctor');
      assert.equal(spec.suspend, true);
      assert.equal(spec.jobTemplate.spec.backoffLimit, 0);
      const [doctor] = spec.jobTemplate.spec.template.spec.containers;
      const [service] = find(objects, 'Deployment', 'users-service').spec.template.spec.containers;
      // with a root that is read-only the report can only be printed
      assert.deepEqual(doctor.command, ['node', 'dist/cli.js', 'doctor', '--report', '-']);
      assert.equal(doctor.securityContext.readOnlyRootFilesystem, true);
      assert.deepEqual([doctor.image, doctor.envFrom], [service.image, service.envFrom]);
      const own = doctor.env.filter(({ name }) => name !== 'NODE_ENV');
      assert.deepEqual(
        own,
        service.env.filter(({ name }) => name !== 'NODE_ENV'),
      );
    });
  });
});

describe('the templates of Jobs that an operator makes', () => {
  for (const [name, service, command, secrets] of [
    [
      'users-service-key-rotation',
      'users-service',
      ['pii:rotate', '--by', 'users-service-key-rotation', '--reason', 'KEY_ROTATION'],
      ['DATABASE_URL', 'PII_KEYS', 'AUDIT_KEYS'],
    ],
    [
      'master-service-catalogue-import',
      'master-service',
      // filled by Kubernetes, whose operator sets both variables
      ['catalogue:import', 'catalogue', '--apply', '--by=$(OPERATOR)', '--reason=$(REASON)'],
      ['MIGRATIONS_DATABASE_URL'],
    ],
    ['master-service-commands', 'master-service', undefined, ['MIGRATIONS_DATABASE_URL']],
  ])
    it(`run in ${name} the image of its release, only on demand, with the secrets of its command`, () => {
      inEach((objects, environment) => {
        const { spec } = find(objects, 'CronJob', name);
        assert.deepEqual([spec.suspend, spec.jobTemplate.spec.backoffLimit], [true, 0]);
        const [container] = spec.jobTemplate.spec.template.spec.containers;
        const [deployed] = find(objects, 'Deployment', service).spec.template.spec.containers;
        assert.equal(container.image, deployed.image);
        const waits = ['node', '-e', 'setTimeout(() => undefined, 900_000)'];
        assert.deepEqual(container.command, command ? ['node', 'dist/cli.js', ...command] : waits);
        const isOwner = secrets.includes('MIGRATIONS_DATABASE_URL');
        assert.deepEqual(
          container.env.map(({ name, value, valueFrom }) => [name, valueFrom?.secretKeyRef.name ?? value]),
          [
            ...secrets.map((secret) => [secret, isOwner ? `${service}-migrations` : service]),
            ...(isOwner ? [['SERVICE_DATABASE_ROLE', 'master_service']] : []),
            // the image sets NODE_ENV=production
            ...(environment === 'development' ? [['NODE_ENV', 'development']] : []),
          ],
        );
      });
    });
});

describe('the role of the owner', () => {
  it('is in no Secret of a service or of the check of the audit trail', () => {
    inEach((objects) => {
      for (const { owner, template } of podTemplates(objects)) {
        const secrets = template.spec.containers.flatMap(({ env = [] }) =>
          env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? []),
        );
        const isOwner = template.metadata.labels['app.kubernetes.io/component'] === 'migration';
        assert.equal(
          secrets.some((name) => name.endsWith('-migrations')),
          isOwner,
          nameOf(owner),
        );
      }
    });
  });

  it('differs from the role of the services', () => {
    const env = (file) => parseEnv(readFileSync(join(root, 'docker', file), 'utf8'));
    const userOf = (url) => new URL(url).username;
    const { services } = parse(readFileSync(join(root, 'docker/compose.yaml'), 'utf8'), { merge: true });
    assert.equal(
      userOf(env('migrations.env').MIGRATIONS_DATABASE_URL),
      services.postgres.environment.POSTGRES_USER,
    );
    const roles = readFileSync(join(root, 'deploy/components/stores/roles.sh'), 'utf8');
    for (const [service, migrate] of [
      ['users-service', 'users-migrate'],
      ['master-service', 'master-migrate'],
      ['master-service', 'master-catalogue'],
      ['master-service', 'master-api-keys'],
    ]) {
      const { SERVICE_DATABASE_ROLE: role, ...rest } = services[migrate].environment;
      assert.deepEqual([rest, services[migrate].env_file], [{}, ['migrations.env']]);
      const { DATABASE_URL } = Object.assign({}, ...[services[service].env_file].flat().map(env));
      assert.equal(userOf(DATABASE_URL), role);
      assert.equal(role, service.replace('-', '_'));
      assert.match(roles, new RegExp(`^for role in .*\\b${role}\\b`, 'm'));
    }
  });
});

describe('the check of the audit trail', () => {
  it('continues from the head on its own volume, and checks everything once a day', () => {
    inEach((objects) => {
      const commands = ['head', 'whole'].map((name) => {
        const { spec } = find(objects, 'CronJob', `users-service-audit-${name}`);
        const { containers, volumes } = spec.jobTemplate.spec.template.spec;
        assert.deepEqual(volumes[0].persistentVolumeClaim, { claimName: 'users-service-audit-head' });
        assert.equal(
          containers[0].image,
          find(objects, 'Deployment', 'users-service').spec.template.spec.containers[0].image,
        );
        assert.ok(find(objects, 'PersistentVolumeClaim', 'users-service-audit-head'));
        return containers[0].command.slice(2);
      });
      const verify = ['audit', 'verify', '--head-file', '/audit-head/head'];
      assert.deepEqual(commands, [verify, [...verify, '--whole']]);
    });
  });

  it('has the only pods with this volume', () => {
    inEach((objects) => {
      for (const { owner, template } of podTemplates(objects))
        if (owner.kind !== 'CronJob')
          assert.ok(
            !(template.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim),
            nameOf(owner),
          );
    });
  });
});

describe('the maintenance', () => {
  it('runs every day with the image and the database of the migrations', () => {
    inEach((_, environment) => {
      const { migrations } = all[environment];
      const { schedule, jobTemplate } = find(migrations, 'CronJob', 'users-service-maintenance').spec;
      assert.match(schedule, /^\d+ \d+ \* \* \*$/);
      const [container] = jobTemplate.spec.template.spec.containers;
      const [migrate] = find(migrations, 'Job', 'users-service-migrate').spec.template.spec.containers;
      assert.deepEqual(container.command, ['node', 'dist/cli.js', 'maintenance']);
      assert.equal(container.image, migrate.image);
      const given = ({ env }) =>
        env.map(({ name, value, valueFrom }) => `${name} ${value ?? valueFrom.secretKeyRef.name}`);
      assert.deepEqual(new Set(given(container)), new Set([...given(migrate), 'AUDIT_KEYS users-service']));
    });
  });
});
