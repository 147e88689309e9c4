package plants;

import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class Security {

    @Bean
    SecurityFilterChain filterChain(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .oauth2ResourceServer(server -> server.opaqueToken(Customizer.withDefaults()))
                .build();
    }

    @Bean
    OpaqueTokenIntrospector introspector(@Value("${plant-store.token}") String expected) {
        return token -> {
            if (!token.equals(expected)) {
                throw new BadOpaqueTokenException("The token is not valid");
            }
            return new DefaultOAuth2AuthenticatedPrincipal(Map.of("sub", "client"), List.of());
        };
    }
}
