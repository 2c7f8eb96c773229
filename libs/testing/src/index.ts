export { ApiClient, type CallOptions, type Method } from './api-client.js';
export { BrunoCollection } from './bruno-collection.js';
export { retryWhenOverloaded } from './retry-when-overloaded.js';
export { type DocumentationExample, examplesOf, runExample } from './documentation-example.js';
export { DocumentedAnswers, type SeenAnswer } from './documented-answers.js';
export { documentedMetrics, metricRows } from './documented-metrics.js';
export { eventually } from './eventually.js';
export { type LoadPlan, type LoadReport, putLoadOn } from './put-load-on.js';
export { expectRefusal, expectUnusable } from './expect-refusal.js';
export { freePort } from './free-port.js';
export { LoadBalancer, type ServerError } from './load-balancer.js';
export { type Figures, type PromiseId, recordEvidence } from './evidence.config.js';
export { type Replacement, ReplicaSet } from './replica-set.js';
export { type RunningProcess, ServiceProcesses } from './service-processes.config.js';
export { runSpecsIn } from './run-specs-in.js';
export { SteadyLoad } from './steady-load.js';
export { codesIn } from './raised-codes.config.js';
export { RawConnection, rawExchange } from './raw-exchange.js';
export { expectToEndure, saturate, type Saturation } from './saturate.js';
export { RedisCluster, RedisServer } from './redis-server.config.js';
export { breaksFormer, schemaShape } from './schema-shape.config.js';
export { startTestApp, type TestApp } from './test-app.js';
export { TcpProxy } from './tcp-proxy.js';
export { inParallel } from './in-parallel.js';
export {
  administer,
  createTestDatabase,
  type DatabaseTemplate,
  type TestDatabase,
  testRedis,
} from './test-stores.config.js';
