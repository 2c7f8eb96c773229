export { ApiClient, type CallOptions } from './contract/api-client.js';
export { editsOfCallTable } from './contract/call-table.js';
export { examplesOf, runExample } from './contract/documentation-example.js';
export { DocumentedAnswers } from './contract/documented-answers.js';
export { documentedMetrics, metricRows } from './contract/documented-metrics.js';
export { HINDI } from './contract/hindi.js';
export { metricsWithoutSeries, selectorsWithoutSeries } from './contract/metric-series.js';
export { expectRefusal, expectBareRefusal } from './contract/expect-refusal.js';
export { codesIn } from './contract/raised-codes.config.js';
export { RawConnection, rawExchange } from './contract/raw-exchange.js';
export { eventually } from './eventually.js';
export { type PromiseId, recordEvidence } from './evidence.config.js';
export { inParallel } from './load/in-parallel.js';
export { repeatUntilServed } from './load/repeat-until-served.js';
export { expectToEndure, saturate } from './load/saturate.js';
export { SteadyLoad } from './load/steady-load.js';
export { FormerRelease } from './processes/former-release.config.js';
export { freePort } from './processes/free-port.js';
export { GENEROUS_LIMITS } from './generous-limits.config.js';
export { LoadBalancer } from './processes/load-balancer.js';
export { type Replacement, ReplicaSet } from './processes/replica-set.js';
export {
  type RunningProcess,
  ServiceProcesses,
  SHIFTED_CLOCK,
} from './processes/service-processes.config.js';
export { TcpProxy } from './processes/tcp-proxy.js';
export { PgBouncer } from './stores/pgbouncer.config.js';
export { RedisCluster, RedisSentinels, RedisServer, type TlsFiles } from './stores/redis-server.config.js';
export { breaksFormer, schemaShape } from './stores/schema-shape.config.js';
export {
  administer,
  createTestDatabase,
  type DatabaseTemplate,
  SERVICE_ROLE,
  type TestDatabase,
  testRedis,
} from './stores/test-stores.config.js';
export { shapesOf, type StatementShape } from './stores/statement-shape.js';
export { TwinSchemas } from './stores/twin-schemas.js';
export { startTestApp, type TestApp } from './test-app.js';
