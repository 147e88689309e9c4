package plants;

import com.fasterxml.jackson.annotation.JsonInclude;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

@SpringBootApplication
public class PlantStore {

    record NewPlant(@NotNull Long id, @NotNull String name, String tag) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Plant(String name, String tag) {}

    record ApiError(int error, String message) {}

    @RestController
    static class Plants {
        private final Map<Long, Plant> plants = new ConcurrentHashMap<>();

        @PostMapping("/plants")
        Plant create(@Valid @RequestBody NewPlant plant) {
            var created = new Plant(plant.name(), plant.tag());
            plants.put(plant.id(), created);
            return created;
        }
    }

    /** Spring MVC's own exceptions, with its statuses, as the interface's Error. */
    @RestControllerAdvice
    static class Errors extends ResponseEntityExceptionHandler {
        @Override
        protected ResponseEntity<Object> createResponseEntity(
                Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
            var error = new ApiError(status.value(), ((ProblemDetail) body).getDetail());
            return super.createResponseEntity(error, headers, status, request);
        }
    }

    public static void main(String[] args) {
        SpringApplication.run(PlantStore.class, args);
    }
}
