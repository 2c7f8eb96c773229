// The bill of materials of an image in CycloneDX: the packages of a service, Node.js and Debian's packages.

/** PACKAGE: its fields in dpkg. */
function debianComponent(text) {
  const field = (name) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)[1];
  const [name, version] = [field('Package'), field('Version')];
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field('Architecture')}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

function nodeComponent(version) {
  const purl = `pkg:generic/node@${version}`;
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  return { type: 'platform', 'bom-ref': purl, name: 'node', version, purl, cpe };
}

/**
 * Extends BILL, that of a service's packages, to its image of VERSION. NODE is the version of Node.js; PACKAGES are the Debian
 * packages in it, with their fields in dpkg.
 */
export function billOfImage(bill, { version, node, packages }) {
  const more = [nodeComponent(node), ...packages.map(debianComponent)];
  const service = { ...bill.metadata.component, version };
  // npm does not list it
  delete service.purl;
  const dependencies = bill.dependencies.map(({ ref, dependsOn }) =>
    ref === service['bom-ref']
      ? { ref, dependsOn: [...dependsOn, ...more.map((component) => component['bom-ref'])] }
      : { ref, dependsOn },
  );
  return {
    ...bill,
    metadata: { ...bill.metadata, component: service },
    components: [...bill.components, ...more],
    dependencies,
  };
}
