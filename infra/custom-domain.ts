import { CfnOutput, Stack } from 'aws-cdk-lib'
import { EndpointAccessMode, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets'

/** TLS 1.2 or newer, at whatever address the API is found. API Gateway's own default for regional APIs takes TLS 1.0. */
export const TLS = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PQ_2025_09,
  // Such a policy demands a mode; strict also refuses a request whose Host is not the name that TLS was set up with.
  endpointAccessMode: EndpointAccessMode.STRICT,
}

type Domain = {
  domainName: string
  certificateArn: string
  hostedZone: { id: string; name: string } | undefined
  basePath: string
}

/** Makes the API found under a name of one's own. Without a zone for it, an output says what the name must point to. */
export const addDomain = (api: RestApi, { domainName, certificateArn, hostedZone, basePath }: Domain): void => {
  const certificate = Certificate.fromCertificateArn(api, 'Certificate', certificateArn)
  const domain = api.addDomainName('Domain', { domainName, certificate, basePath, ...TLS })
  if (hostedZone) {
    const zone = HostedZone.fromHostedZoneAttributes(api, 'Zone', {
      hostedZoneId: hostedZone.id,
      zoneName: hostedZone.name,
    })
    const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain))
    new ARecord(api, 'Record', { zone, recordName: `${domainName}.`, target })
  } else {
    new CfnOutput(Stack.of(api), 'DomainTarget', { value: domain.domainNameAliasDomainName })
  }
}
